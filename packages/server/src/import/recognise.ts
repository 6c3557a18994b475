import { basename } from 'node:path';
import { filesAt, isFolder, isSqlite, openJson, withTables } from './files.ts';
import { isJsonObject, type JsonObject, objectsOf } from './json-objects.ts';
import type { System } from './systems.ts';

/** More files would say no more about which system wrote a folder. */
const MAX_FILES = 50;

/** Returns the systems that may have written a file or a folder: one, if it is clear. */
export async function recogniseSystems(path: string): Promise<System[]> {
  if (!(await isFolder(path))) return [...new Set(await systemsOf(path))];
  const known = ['.db', '.sqlite', '.json', '.jsonl', '.af'];
  const found = new Set<System>();
  for (const file of (await filesAt(path, known)).slice(0, MAX_FILES))
    for (const one of await systemsOf(file)) found.add(one);
  if (found.size === 0 && (await filesAt(path, ['.md'])).length > 0) found.add('basic-memory');
  return [...found];
}

async function systemsOf(file: string): Promise<System[]> {
  if (await isSqlite(file)) return systemsOfDatabase(file);
  if (/\.md$/i.test(file)) return ['basic-memory'];
  try {
    const json = await openJson(file);
    if (!('lines' in json)) return systemsOfJson(json.whole);
    for await (const { item } of json.lines) return systemsOfItems([item as JsonObject]);
  } catch {
    // What cannot be read says nothing; the import that follows reports it.
  }
  return /\.af$/i.test(file) ? ['letta'] : [];
}

const TABLES: readonly [table: string, system: System][] = [
  ['history', 'mem0'],
  ['memory_history', 'mem0'],
  ['session_summaries', 'claude-mem'],
];

async function systemsOfDatabase(file: string): Promise<System[]> {
  if (basename(file) === 'claude-mem.db') return ['claude-mem'];
  return withTables(file, (_, names) => TABLES.filter(([table]) => names.has(table)).map(([, system]) => system));
}

function systemsOfJson(json: unknown): System[] {
  if (Array.isArray(json)) return systemsOfItems(objectsOf(json));
  if (!isJsonObject(json)) return [];
  const has = (...names: string[]) => names.some((name) => Array.isArray(json[name]));
  if (has('core_memory', 'block_ids') || (has('agents') && has('blocks', 'agents'))) return ['letta'];
  if (has('entities')) return ['server-memory'];
  if (has('sessions', 'nodes', 'edges', 'episodes', 'relevant_facts')) return ['zep'];
  if (has('messages')) return has('facts') || 'session_id' in json ? ['zep'] : 'agent_type' in json ? ['letta'] : [];
  const listed = [...objectsOf(json.results), ...objectsOf(json.memories)];
  return systemsOfItems(listed.length > 0 ? listed : [json]);
}

const MAX_ITEMS = 100;

function systemsOfItems(items: readonly JsonObject[]): System[] {
  const some = items.slice(0, MAX_ITEMS);
  const is = (test: (item: JsonObject) => boolean) => some.some(test);
  if (
    is(
      ({ type, name, from }) =>
        (type === 'entity' && name !== undefined) || (type === 'relation' && from !== undefined),
    )
  )
    return ['server-memory'];
  if (is((item) => 'source_node_uuid' in item || 'source_description' in item || 'labels' in item)) return ['zep'];
  if (is((item) => typeof item.memory === 'string')) return ['mem0'];
  return is((item) => 'session_id' in item && 'uuid' in item) ? ['zep'] : [];
}
