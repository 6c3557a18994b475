import { existsSync, realpathSync } from 'node:fs';
import { locateMemory, type MemoryLocation } from '@mem-service/mcp/location';
import { hookCommands } from './claude-hooks.ts';
import { type McpClient, WORKSPACE } from './clients.ts';
import { valueAt } from './jsonc.ts';
import type { Machine } from './machine.ts';
import { pathOf } from './server-entry.ts';
import { tomlTable } from './toml-edit.ts';

/** The entry of a client as the client reads it. */
export type ConfiguredEntry = {
  command: string | undefined;
  args: readonly string[];
  url: string | undefined;
  env: Readonly<Record<string, string>>;
  text: string;
};

export function readEntry(client: McpClient, text: string): ConfiguredEntry {
  const entry = client.format.kind === 'json' ? readJsonEntry(client, text) : readTomlEntry(client, text);
  const [command, url] = [entry.command, entry.url ?? entry.httpUrl ?? entry.serverUrl].map((found) =>
    typeof found === 'string' ? found : undefined,
  );
  const args = Array.isArray(entry.args) ? entry.args.map(String) : [];
  const env = Object.entries((entry.env ?? {}) as Record<string, unknown>).map(([name, value]) => [
    name,
    String(value),
  ]);
  return { command, args, url, env: Object.fromEntries(env), text: JSON.stringify(entry) };
}

const readJsonEntry = (client: McpClient, text: string) =>
  (valueAt(text, pathOf(client)) ?? {}) as Record<string, unknown>;

function readTomlEntry(client: McpClient, text: string): Record<string, unknown> {
  const pairs = [...(tomlTable(text, pathOf(client)) ?? [])];
  const inTable = pairs
    .filter(([name]) => name.startsWith('env.'))
    .map(([name, raw]) => [name.slice(4), tomlText(raw)]);
  const entry: Record<string, unknown> = Object.fromEntries(pairs.map(([name, raw]) => [name, tomlText(raw)]));
  const named = Array.isArray(entry.env_vars) ? entry.env_vars.map((name) => [name, `\${${name}}`]) : [];
  return { ...entry, env: Object.fromEntries([...named, ...inlinePairs(entry.env), ...inTable]) };
}

/** Strings and lists of strings are written in TOML as in JSON. */
function tomlText(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return raw.replace(/^'(.*)'$/, '$1');
  }
}

/** The pairs of an inline table such as `{ MEM_DATA_DIR = "/store" }`. */
const inlinePairs = (raw: unknown): [string, unknown][] =>
  typeof raw === 'string'
    ? [...raw.matchAll(/([\w-]+)"?\s*=\s*("(?:\\.|[^"\\])*"|'[^']*')/g)].map(([, name, value]) => [
        name as string,
        tomlText(value as string),
      ])
    : [];

/** Where the client keeps memory, by the same rule as everything else, if it is started in this folder. */
export function memoryOfEntry({ url, env }: ConfiguredEntry, machine: Machine): MemoryLocation {
  if (url !== undefined) return { kind: 'server', at: url.replace(/\/mcp\/?(\?.*)?$/, ''), by: 'MEM_HTTP_URL' };
  const expanded = Object.entries(env).map(([name, value]) => [name, expand(value, machine)]);
  return locateMemory({ HOME: machine.home, ...Object.fromEntries(expanded) }, machine.folder);
}

/** What a reference to a variable that is not set here stands for is not known: it stays as it is. */
const expand = (value: string, { env, folder }: Machine): string =>
  value
    .replaceAll(WORKSPACE, folder)
    .replace(/\$\{(?:env:)?(\w+)\}/g, (reference, name: string) => env[name] || reference);

/** Where the hook at the start of a session looks, from the flags in its line; undefined if there is no such hook. */
export function memoryOfHooks(text: string, machine: Machine): MemoryLocation | undefined {
  const start = hookCommands(text).find((command) => command.includes('hook session-start'));
  if (start === undefined) return undefined;
  const words = wordsOf(start);
  const after = (flag: string) => (words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined);
  const given = { MEM_HTTP_URL: after('--url'), MEM_DATA_DIR: after('--data-dir') };
  return locateMemory({ HOME: machine.home, ...given }, machine.folder);
}

/** The words of a command line without their quotes. */
export const wordsOf = (line: string): string[] =>
  (line.match(/"[^"]+"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));

/** Whether two places are the same memory, however they are written. */
export const isSameMemory = (a: MemoryLocation, b: MemoryLocation): boolean =>
  a.kind === b.kind && comparable(a) === comparable(b);

function comparable({ kind, at }: MemoryLocation): string {
  if (kind === 'folder') return existsSync(at) ? realpathSync(at) : at;
  if (!URL.canParse(at)) return at;
  const { protocol, host, pathname } = new URL(at);
  return `${protocol}//${host.replace(/^(127\.0\.0\.1|\[::1\])/, 'localhost')}${pathname.replace(/\/+$/, '')}`;
}
