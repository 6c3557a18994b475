import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { memProgram } from '../faults/support/mem-process.ts';

/** What is loaded together with a file of the bundle: what it imports, but not what it imports later. */
function loadedWith(file: string, seen = new Map<string, string>()): Map<string, string> {
  if (seen.has(file)) return seen;
  const text = readFileSync(file, 'utf8');
  seen.set(file, text);
  for (const [, name] of text.matchAll(/^(?:import|export)\b[^;'"]*["'](\.\/[^"']+)["'];$/gm))
    loadedWith(join(dirname(file), name as string), seen);
  return seen;
}

/** The bundler names the files that it put into one. */
const sourcesIn = (texts: Iterable<string>): string[] =>
  [...texts].flatMap((text) => [...text.matchAll(/^ *\/\/ (\S+\.(?:ts|m?js))$/gm)].map(([, name]) => name as string));

const HEAVY = /(?:^|\/)node_modules\/(?:pg|fastify|pino|jsonc-parser|@modelcontextprotocol)\/|\/locales\/(?!en\.js)/;

it('a command on the store of this machine loads neither PostgreSQL nor a server, an editor of JSON or the languages of zod', async () => {
  const folder = dirname(await memProgram());
  const loadedBy = (name: string) => {
    const file = readdirSync(folder).find((one) => one.startsWith(`${name}-`) && one.endsWith('.js'));
    return sourcesIn(loadedWith(join(folder, file as string)).values());
  };
  const command = [...loadedBy('program'), ...loadedBy('installed')];
  expect(command).toContain('packages/server/src/db/sqlite.ts');
  expect(command).toContain('packages/server/src/cli/run.ts');
  expect(command.filter((name) => HEAVY.test(name))).toEqual([]);
  for (const part of ['postgres', 'serve', 'init']) expect(loadedBy(part).some((name) => HEAVY.test(name))).toBe(true);
});
