import type { McpClient } from './clients.ts';
import { entryMembers, type ServerEntry } from './entry.ts';
import { valueAt } from './jsonc.ts';
import { removeJson, setJson } from './jsonc-edit.ts';
import { MalformedText } from './text-edits.ts';
import { removeTomlTable, setTomlTable, type TomlTable, tomlTable, tomlValue } from './toml-edit.ts';

export const SERVER_NAME = 'mem';

/** Recognises an entry written by hand after the guide, but not another server of the same name. */
export const looksOurs = (shown: string): boolean =>
  /mem(-mcp)?\.js|mem-mcp|@mem-service\/|X-MEM-|MEM_[A-Z]/.test(shown);

export const pathOf = ({ format }: McpClient): readonly string[] => [...format.servers, SERVER_NAME];

/** The entry of a client as text, or undefined. */
export function shownEntry(client: McpClient, text: string): string | undefined {
  if (text.trim() === '') return undefined;
  const path = pathOf(client);
  if (client.format.kind === 'json') {
    const value = valueAt(text, path);
    return value === undefined ? undefined : JSON.stringify(value);
  }
  const table = tomlTable(text, path);
  return table && [...table].map(([name, value]) => `${name} = ${value}`).join('\n');
}

/** Returns the text of the file with the wanted entry. */
export function setEntry(
  client: McpClient,
  text: string,
  { wanted, isKnown }: { wanted: ServerEntry; isKnown: boolean },
): string {
  const shown = shownEntry(client, text);
  const url = wanted.url ?? wanted.httpUrl ?? wanted.serverUrl;
  const isSameServer = typeof url === 'string' && shown?.includes(url);
  if (shown !== undefined && !isKnown && !isSameServer && !looksOurs(shown))
    throw new Error(`there is another server called ${SERVER_NAME}: rename it or take it out first`);
  return client.format.kind === 'json' ? setJsonEntry(client, text, wanted) : setTomlEntry(client, text, wanted);
}

export function removeEntry(client: McpClient, text: string, isKnown: boolean): string {
  const shown = shownEntry(client, text);
  if (shown === undefined || !(isKnown || looksOurs(shown))) return text;
  return client.format.kind === 'json' ? removeJson(text, pathOf(client)) : removeTomlTable(text, pathOf(client));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keeps the user's own settings: only our members are compared and written. */
function setJsonEntry(client: McpClient, text: string, wanted: ServerEntry): string {
  const path = pathOf(client);
  const known = valueAt(text, path);
  if (known === undefined) return setJson(text, path, wanted);
  if (!isObject(known)) throw new MalformedText(text, 0, `${path.join('.')} should be an object`);
  const stale = entryMembers.filter((name) => name in known && !(name in wanted));
  const cleaned = stale.reduce((edited, name) => removeJson(edited, [...path, name]), text);
  return Object.entries(wanted).reduce((edited, [name, value]) => {
    const merged = isObject(value) ? { ...ownVariables(known[name]), ...value } : value;
    const isSame = JSON.stringify(sorted(known[name])) === JSON.stringify(sorted(merged));
    return isSame ? edited : setJson(edited, [...path, name], merged);
  }, cleaned);
}

/** Variables and headers that the user added. */
const ownVariables = (known: unknown): Record<string, unknown> =>
  isObject(known) ? Object.fromEntries(Object.entries(known).filter(([name]) => !/^(X-)?MEM[-_]/i.test(name))) : {};

const sorted = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

function setTomlEntry(client: McpClient, text: string, wanted: ServerEntry): string {
  const path = pathOf(client);
  const known = tomlTable(text, path);
  const table = wanted as TomlTable;
  const isSame = known && Object.entries(table).every(([name, value]) => known.get(name) === tomlValue(value));
  const hasStale = known && entryMembers.some((name) => known.has(name) && !(name in wanted));
  return isSame && !hasStale ? text : setTomlTable(text, path, table);
}
