import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { locateMemory, type MemoryLocation, ownStore, STORE_FOLDER } from '@mem-service/mcp/location';
import { hookCommands } from './claude-hooks.ts';
import { type InstallScope, type McpClient, WORKSPACE } from './clients.ts';
import { readText } from './files.ts';
import { valueAt } from './jsonc.ts';
import type { Machine } from './machine.ts';
import type { FileReceipts } from './receipt.ts';
import { looksOurs, pathOf, shownEntry } from './server-entry.ts';
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

/** What a client was set up with before: its memory, the variables about tools, and those about access to the memory. */
export type EarlierSetUp = {
  memory: MemoryLocation;
  tools: Readonly<Record<string, string>>;
  access: Readonly<Record<string, string>>;
};

/** Undefined if the client has no entry of ours that can be read. */
export function earlierSetUp(
  client: McpClient,
  { machine, scope, receipts }: { machine: Machine; scope: InstallScope; receipts: FileReceipts },
): EarlierSetUp | undefined {
  const { config } = client.files(machine, scope);
  if (config === undefined) return undefined;
  try {
    const text = readText(config) ?? '';
    const shown = shownEntry(client, text);
    if (shown === undefined || !(config in receipts || looksOurs(shown))) return undefined;
    const entry = readEntry(client, text);
    const only = (values: Record<string, string | undefined | null>) =>
      Object.fromEntries(Object.entries(values).filter((pair): pair is [string, string] => Boolean(pair[1])));
    const toolset = entry.url && URL.canParse(entry.url) ? new URL(entry.url).searchParams.get('toolset') : undefined;
    const { MEM_TOOLSET = toolset, MEM_BRANCH, MEM_API_KEY = keyIn(entry), MEM_POSTGRES_DSN } = entry.env;
    return {
      memory: namedMemory(entry, machine),
      tools: only({ MEM_TOOLSET, MEM_BRANCH }),
      access: only({ MEM_API_KEY, MEM_POSTGRES_DSN }),
    };
  } catch {
    return undefined;
  }
}

/** The key, or a reference to it. */
function keyIn({ text }: ConfiguredEntry): string | undefined {
  const { headers, bearer_token_env_var: variable } = JSON.parse(text) as {
    headers?: Record<string, string>;
    bearer_token_env_var?: string;
  };
  return headers?.['X-MEM-API-Key'] ?? (variable === undefined ? undefined : `\${${variable}}`);
}

/** An entry that names no memory stands for the own store of each user. */
function namedMemory(entry: ConfiguredEntry, machine: Machine): MemoryLocation {
  const { url, env } = entry;
  const own = ownStore(machine.env);
  const isNamed = url ?? env.MEM_HTTP_URL ?? env.MEM_POSTGRES_DSN ?? env.MEM_DATA_DIR;
  const memory = isNamed ? memoryOfEntry(entry, machine) : { kind: 'folder' as const, at: own, by: 'own' as const };
  if (memory.at === own) return { ...memory, by: 'own' };
  return memory.at === join(machine.folder, STORE_FOLDER) ? { ...memory, by: 'found' } : memory;
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
