import { filesAt, isSqlite, openJson, type SourceRow, withTables } from './files.ts';
import { type ForeignData, type ForeignEntry, ForeignError, type ForeignReader } from './foreign.ts';
import { idOf, isJsonObject, type JsonObject, objectsOf, textOf } from './json-objects.ts';
import { LeftOutRecords } from './left-out.ts';
import { type Mem0Memory, memoryOf, memoryValue } from './mem0-memory.ts';
import { toEntity, toKey, toLabel, toPath, toRelation } from './names.ts';
import { toTime } from './times.ts';

const AGENT = 'mem0';

/** One state of a memory: from its history, or from a file. */
type MemoryState = {
  memory_id: string;
  text: string;
  at: string | undefined;
  actor?: string | undefined;
  own?: Mem0Memory;
};

type FoundMemories = {
  history: SourceRow[];
  /** By id, in the order of the files. */
  memories: Map<string, Mem0Memory[]>;
  empty: LeftOutRecords;
  links: ForeignData['links'];
  notes: string[];
};

/**
 * Reads `history.db`, in which mem0 keeps every change, and the JSON of its `get_all` and its exports; one of them, or
 * a folder with both. Only the JSON contains the subject of a memory.
 */
export const readMem0: ForeignReader = async (path, into) => {
  const found: FoundMemories = { history: [], memories: new Map(), empty: new LeftOutRecords(), links: [], notes: [] };
  for (const file of await filesAt(path, ['.db', '.sqlite', '.json', '.jsonl'])) {
    if (await isSqlite(file)) {
      const rows = await withTables(file, (tables) => [...tables('history'), ...tables('memory_history')]);
      for (const row of rows) found.history.push(row);
    } else if (!(await readMemories(file, found))) {
      if (file === path)
        throw new ForeignError(`${file} holds no memories of mem0: a list, or an object with results, is expected`);
      // The folder also contains settings.
      found.notes.push(`${file} holds no memories and was passed over`);
    }
  }
  const { entries, notes } = entriesOf(found, into);
  return { entries, links: found.links, notes: [...found.notes, ...notes, ...found.empty.notes('no text')] };
};

/** Returns whether the file has the shape of memories. */
async function readMemories(file: string, found: FoundMemories): Promise<boolean> {
  const add = (item: unknown, no: number) => {
    const memory = isJsonObject(item) ? memoryOf(item) : undefined;
    if (memory === undefined) found.empty.add(file, no);
    else found.memories.set(memory.id, [...(found.memories.get(memory.id) ?? []), memory]);
  };
  const json = await openJson(file);
  if ('lines' in json) {
    for await (const { item, no } of json.lines) add(item, no);
    return true;
  }
  const { whole } = json;
  if (isJsonObject(whole)) {
    const relations = objectsOf(whole.relations);
    const links = relations.flatMap(linkOf);
    for (const link of links) found.links.push(link);
    const without = relations.length - links.length;
    if (without > 0)
      found.notes.push(`${file}: ${without} ${without === 1 ? 'relation' : 'relations'} left out: no ends`);
  }
  const list = listOf(whole);
  if (!list) return false;
  for (const [i, item] of list.entries()) add(item, i + 1);
  return true;
}

function listOf(json: unknown): unknown[] | undefined {
  if (Array.isArray(json)) return json;
  if (!isJsonObject(json)) return undefined;
  const lists = [json.results, json.memories].filter((list) => Array.isArray(list));
  if (lists.length > 0) return lists.flat();
  return 'memory' in json ? [json] : undefined;
}

function entriesOf({ history, memories }: FoundMemories, into: string): { entries: ForeignEntry[]; notes: string[] } {
  const states: MemoryState[] = history.flatMap(stateOf);
  const newest = new Map<string, Mem0Memory>();
  for (const [id, given] of memories) {
    const ordered = inOrder(given);
    newest.set(id, ordered.at(-1) as Mem0Memory);
    for (const own of ordered) states.push({ memory_id: id, text: own.text, at: own.at, own });
  }
  const now = new Date().toISOString();
  const expired = new Set([...newest.values()].filter(({ ttl_at }) => ttl_at && ttl_at <= now).map(({ id }) => id));
  const deleted = new Set(deletedIn(history).filter((id) => !newest.has(id)));
  const left = (set: Set<string>, what: string) =>
    set.size === 0 ? [] : [`${set.size} ${set.size === 1 ? 'memory was' : 'memories were'} left behind: ${what} there`];
  return {
    entries: states
      .filter(({ memory_id }) => !deleted.has(memory_id) && !expired.has(memory_id))
      .map((state) => entryOf(state, newest.get(state.memory_id), into)),
    notes: [...left(deleted, 'deleted'), ...left(expired, 'expired')],
  };
}

/** The same id in several files: the last to be updated is the present one. One without a time is taken for older. */
function inOrder(given: readonly Mem0Memory[]): Mem0Memory[] {
  const ordered = [...given].sort((a, b) => (a.at ?? '').localeCompare(b.at ?? ''));
  const oldest = ordered.find(({ at }) => at !== undefined)?.at;
  return ordered.map((memory) => ({ ...memory, at: memory.at ?? oldest }));
}

/** The columns of the Python and of the TypeScript edition. */
function stateOf(row: SourceRow): MemoryState[] {
  const memory_id = idOf(row.memory_id);
  const text = textOf(row.new_memory) ?? textOf(row.new_value);
  if (memory_id === undefined || text === undefined) return [];
  const at = toTime(row.updated_at) ?? toTime(row.created_at);
  return [{ memory_id, text, at, actor: textOf(row.actor_id) }];
}

function deletedIn(history: readonly SourceRow[]): string[] {
  const isDelete = (row: SourceRow) => (row.event ?? row.action) === 'DELETE' || row.is_deleted === 1;
  const last = new Map(history.map((row) => [idOf(row.memory_id) ?? '', row]));
  return [...last].filter(([, row]) => isDelete(row)).map(([id]) => id);
}

/** The newest memory with this id says where the entry is; each keeps what was recorded with it. */
function entryOf(
  { memory_id, text, at, actor, own }: MemoryState,
  newest: Mem0Memory | undefined,
  into: string,
): ForeignEntry {
  const members = newest?.members ?? {};
  const about = (['user', 'agent', 'run', 'app'] as const).find((kind) => idOf(members[`${kind}_id`]) !== undefined);
  const name = about && idOf(members[`${about}_id`]);
  const author = actor ?? idOf(members.actor_id) ?? idOf(members.agent_id);
  const run_id = idOf(members.run_id);
  const shown = { run_id, ...(about ? { [`${about}_id`]: name } : {}) };
  const { confidence } = own ?? newest ?? {};
  // That of an earlier version may be over.
  const ttl_at = newest?.ttl_at;
  return {
    entity_path: about && name !== undefined ? toPath(into, `${about}s`, name) : toPath(into, 'memories'),
    key: toKey(memory_id),
    value: memoryValue(text, own?.members ?? members, shown),
    agent_id: toLabel(author ?? '', AGENT),
    session_id: run_id === undefined ? undefined : toLabel(run_id, AGENT),
    written_at: at,
    source_id: toLabel(memory_id, AGENT),
    ...(confidence === undefined ? {} : { confidence }),
    ...(ttl_at === undefined ? {} : { ttl_at }),
  };
}

/** A relation from mem0 with a graph store. */
function linkOf({ source, relationship, target, destination }: JsonObject) {
  const [from, to] = [textOf(source), textOf(target) ?? textOf(destination)];
  if (from === undefined || to === undefined) return [];
  const relation = toRelation(textOf(relationship) ?? '');
  const ends = { source: toEntity(from), target: toEntity(to) };
  return [{ ...ends, source_type: 'entity' as const, target_type: 'entity' as const, relation, agent_id: AGENT }];
}
