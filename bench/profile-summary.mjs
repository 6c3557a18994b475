import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './places.mjs';

const maps = new Map();

/** The source file and line of a position in a bundle. */
function sourceOf({ url, lineNumber, columnNumber }) {
  if (!url.startsWith('file:')) return { file: url, line: lineNumber + 1 };
  const path = fileURLToPath(url);
  if (!maps.has(path)) {
    const map = `${path}.map`;
    maps.set(path, existsSync(map) ? new SourceMap(JSON.parse(readFileSync(map, 'utf8'))) : undefined);
  }
  const entry = maps.get(path)?.findEntry(lineNumber, columnNumber);
  if (!entry?.originalSource) return { file: relative(root, path), line: lineNumber + 1 };
  const source = new URL(entry.originalSource, url);
  return { file: relative(root, fileURLToPath(source)), line: entry.originalLine + 1 };
}

/** The owner of a function: a package, Node.js, the service, or V8. */
function ownerOf(file, functionName) {
  if (file === '') return functionName.startsWith('(') ? functionName : 'native functions';
  if (file.startsWith('node:')) return 'node';
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  if (inPackage) return inPackage;
  return /^(packages\/\w+\/src\/(?:modules\/)?[\w-]+)/.exec(file)?.[1] ?? file;
}

/** Self times in microseconds within a period, by function and by owner. */
function selfTimes({ nodes, samples, timeDeltas, startTime }, { from, to }) {
  const byNode = new Map();
  let at = startTime;
  for (const [i, id] of samples.entries()) {
    at += timeDeltas[i];
    if (at >= from && at <= to) byNode.set(id, (byNode.get(id) ?? 0) + timeDeltas[i]);
  }
  const functions = new Map();
  const owners = new Map();
  for (const { id, callFrame } of nodes) {
    const time = byNode.get(id) ?? 0;
    if (time === 0) continue;
    const { file, line } = sourceOf(callFrame);
    const name = callFrame.functionName || '(anonymous)';
    const owner = ownerOf(file, name);
    const label = file === '' ? name : `${name}  ${file}:${line}`;
    functions.set(label, (functions.get(label) ?? 0) + time);
    owners.set(owner, (owners.get(owner) ?? 0) + time);
  }
  return { functions, owners };
}

/** Shares of the time in which the thread was not idle. */
export function summarizeProfile(profile, { top, requests, from, to }) {
  const { functions, owners } = selfTimes(profile, { from, to });
  const idle = functions.get('(idle)') ?? 0;
  const total = [...functions.values()].reduce((sum, time) => sum + time, 0);
  const busy = total - idle;
  const toLine = ([label, time]) =>
    `${((time / busy) * 100).toFixed(1).padStart(6)} %  ${(time / requests).toFixed(2).padStart(8)} µs/request  ${label}`;
  const ranked = (times, count) =>
    [...times]
      .filter(([label]) => label !== '(idle)')
      .sort((a, b) => b[1] - a[1])
      .slice(0, count)
      .map(toLine)
      .join('\n');
  return `thread: busy ${(busy / 1e6).toFixed(2)} s of ${(total / 1e6).toFixed(2)} s of load

by owner
${ranked(owners, 16)}

by function, self time
${ranked(functions, top)}
`;
}
