// Runs one connector that others wrote. Texts of JSON come and go: what an author returns is no more than data.
import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

const { file, class_name, folder, options, progress, max_result_chars, is_check } = workerData;
/** Which event of which batch is being transformed, for the other side to read if this one does not come back. */
const current = new Int32Array(progress);
/** Results are sent on after this time, so that a later event that hangs does not take them along, and after so many. */
const PART = { ms: 100, events: 16 };
const MAX_REASON_CHARS = 1_000;
const OPTIONAL = ['validate_signature', 'identify', 'reply'];
const { now: timeNow } = performance;
const post = parentPort.postMessage.bind(parentPort);

/** The message of an error and the line of the author's code that it comes from. */
function reasonOf(error, findPlace = () => undefined) {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : `threw ${describe(error)}`;
  const place = placeIn(error?.stack) ?? findPlace();
  const reason = text.slice(0, MAX_REASON_CHARS);
  return place ? `${reason} (${place})` : reason;
}

function describe(thrown) {
  try {
    return String(thrown);
  } catch {
    return 'what is not an error';
  }
}

/** The stack of an error in the syntax of a module does not name the module. */
function syntaxPlace() {
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: 5_000 });
  return placeIn(stderr);
}

function placeIn(stack) {
  if (typeof stack !== 'string') return undefined;
  for (const [, url, path, line, column] of stack.matchAll(
    /(?:(file:\/\/[^\s():]+)|(\/[^\s():]+)):(\d+)(?::(\d+))?/g,
  )) {
    const place = relative(folder, url ? fileURLToPath(url) : path);
    if (!place.startsWith('..')) return [place, line, column].filter(Boolean).join(':');
  }
  return undefined;
}

async function load() {
  const found = await import(pathToFileURL(file).href);
  const made = found[class_name] ?? found.default?.[class_name];
  const at = relative(folder, file);
  if (typeof made !== 'function') throw new Error(`${at} exports no class ${class_name}`);
  // The variables that a constructor asks for may not be set yet.
  if (is_check) return {};
  const connector = new made(options);
  if (typeof connector.transform !== 'function') throw new Error(`${class_name} in ${at} has no method transform`);
  return connector;
}

function textOf(results) {
  const text = JSON.stringify(results);
  if (text === undefined) throw new Error('transform must return a list of results');
  if (text.length > max_result_chars)
    throw new Error(`the results have ${text.length} characters; ${max_result_chars} are allowed`);
  return text;
}

async function transformOne(connector, event) {
  try {
    return { results: textOf(await connector.transform(JSON.parse(event))) };
  } catch (error) {
    return { failure: reasonOf(error) };
  }
}

async function transform(connector, { id, events }) {
  let outputs = [];
  let postedAt = timeNow.call(performance);
  for (const [i, event] of events.entries()) {
    Atomics.store(current, 0, i);
    Atomics.store(current, 1, id);
    outputs.push(await transformOne(connector, event));
    const isPart = outputs.length >= PART.events || timeNow.call(performance) - postedAt >= PART.ms;
    if (!isPart && i < events.length - 1) continue;
    post({ id, outputs });
    outputs = [];
    postedAt = timeNow.call(performance);
  }
}

const CALLS = {
  validate_signature: (connector, { body, headers, secret, now }) =>
    connector.validate_signature({ body: Buffer.from(body), headers }, secret, now),
  identify: (connector, { payload, headers }) => connector.identify(JSON.parse(payload), headers),
  reply: (connector, { payload }) => connector.reply(JSON.parse(payload)),
};

async function call(connector, { id, name, ...input }) {
  try {
    post({ id, output: JSON.stringify(await CALLS[name](connector, input)) });
  } catch (error) {
    post({ id, failure: reasonOf(error) });
  }
}

try {
  const connector = await load();
  // The next message may be here before this one is done.
  let turn = Promise.resolve();
  parentPort.on('message', (message) => {
    turn = turn.then(() => (message.events ? transform(connector, message) : call(connector, message)));
  });
  post({ ready: OPTIONAL.filter((name) => typeof connector[name] === 'function') });
} catch (error) {
  post({ broken: reasonOf(error, error instanceof SyntaxError ? syntaxPlace : undefined) });
}
