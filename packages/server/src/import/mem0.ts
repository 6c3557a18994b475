import { filesAt, isSqlite, readJson, type SourceRow, withTables } from './files.ts';
import { type ForeignData, type ForeignEntry, ForeignError, type ForeignReader } from './foreign.ts';
import { idOf, isJsonObject, type JsonObject, objectsOf, textOf, withoutEmpty } from './json-objects.ts';
import { toEntity, toKey, toLabel, toPath, toRelation } from './names.ts';
import { toTime } from './times.ts';

const AGENT = 'mem0';

/** One state of a memory: from its history, or the current one. */
type MemoryState = { memory_id: string; text: string; at: string | undefined; actor: string | undefined };

/**
 * Reads `history.db`, in which mem0 keeps every change, and the JSON of its `get_all` and its exports; one of them, or
 * a folder with both. Only the JSON contains the subject of a memory.
 */
export const readMem0: ForeignReader = async (path, into) => {
  const states: MemoryState[] = [];
  const current = new Map<string, JsonObject>();
  const found: ForeignData = { entries: [], links: [], notes: [] };
  let deleted = new Set<string>();
  for (const file of await filesAt(path, ['.db', '.sqlite', '.json'])) {
    if (await isSqlite(file)) {
      const history = await withTables(file, (tables) => [...tables('history'), ...tables('memory_history')]);
      states.push(...history.flatMap(stateOf));
      deleted = new Set([...deleted, ...deletedIn(history)]);
    } else {
      const json = await readJson(file);
      const memories = memoriesOf(json);
      if (!memories && file === path)
        throw new ForeignError(`${file} holds no memories of mem0: a list, or an object with results, is expected`);
      // The folder also contains settings.
      if (!memories) found.notes.push(`${file} holds no memories and was passed over`);
      for (const memory of memories ?? []) current.set(idOf(memory.id) ?? '', memory);
      if (isJsonObject(json)) found.links.push(...objectsOf(json.relations).flatMap(linkOf));
    }
  }
  for (const [id, memory] of current) {
    deleted.delete(id);
    const text = textOf(memory.memory) ?? textOf(memory.data);
    const at = toTime(memory.updated_at) ?? toTime(memory.created_at);
    if (text !== undefined) states.push({ memory_id: id, text, at, actor: undefined });
  }
  const kept = states.filter(({ memory_id }) => !deleted.has(memory_id));
  found.entries = kept.map((state) => entryOf(state, current.get(state.memory_id), into));
  if (deleted.size > 0) found.notes.push(`${deleted.size} memories were deleted there and are left behind`);
  return found;
};

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

function memoriesOf(json: unknown): JsonObject[] | undefined {
  if (Array.isArray(json)) return objectsOf(json);
  const lists = isJsonObject(json) ? [json.results, json.memories] : [];
  return lists.some(Array.isArray) ? lists.flatMap(objectsOf) : undefined;
}

function entryOf({ memory_id, text, at, actor }: MemoryState, memory: JsonObject = {}, into: string): ForeignEntry {
  const { user_id, agent_id, run_id, actor_id, metadata, categories, role } = memory;
  const about = (['user', 'agent', 'run'] as const).find((kind) => idOf(memory[`${kind}_id`]) !== undefined);
  const name = idOf(user_id) ?? idOf(agent_id) ?? idOf(run_id) ?? '';
  const session = idOf(run_id);
  return {
    entity_path: about ? toPath(into, `${about}s`, name) : toPath(into, 'memories'),
    key: toKey(memory_id),
    value: { memory: text, ...withoutEmpty({ categories, metadata, role }) },
    agent_id: toLabel(actor ?? idOf(actor_id) ?? idOf(agent_id) ?? '', AGENT),
    session_id: session === undefined ? undefined : toLabel(session, AGENT),
    written_at: at,
    source_id: toLabel(memory_id, AGENT),
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
