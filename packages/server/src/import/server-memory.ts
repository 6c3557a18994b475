import { stringify } from '@mem-service/contract';
import { statedConfidence } from './confidence.ts';
import { filesAt, openJson } from './files.ts';
import { type ForeignData, type ForeignEntry, ForeignError, type ForeignLink, type ForeignReader } from './foreign.ts';
import { isJsonObject, type JsonObject, objectsOf, textOf, withoutEmpty } from './json-objects.ts';
import { LeftOutRecords } from './left-out.ts';
import { nodeOf, toEntity, toKey, toLabel, toPath, toRelation } from './names.ts';

const AGENT = 'server-memory';

type MemoryGraph = { entities: Map<string, JsonObject>; relations: JsonObject[]; empty: LeftOutRecords };

/**
 * Reads `memory.jsonl` of @modelcontextprotocol/server-memory: a line for each entity and each relation, without times.
 */
export const readServerMemory: ForeignReader = async (path, into) => {
  const graph: MemoryGraph = { entities: new Map(), relations: [], empty: new LeftOutRecords() };
  for (const file of await filesAt(path, ['memory.jsonl', 'memory.json'])) await collect(file, graph);
  const entries = [...graph.entities.values()].map((entity) => entryOf(entity, into));
  // The first entity of a name is the one that server-memory itself finds.
  const places = new Map<string, ForeignEntry>();
  for (const entry of entries) {
    const { name } = entry.value as { name: string };
    if (!places.has(name)) places.set(name, entry);
  }
  const found: ForeignData = { entries, links: graph.relations.map((relation) => linkOf(relation, places)), notes: [] };
  found.notes = graph.empty.notes('neither an entity with a name nor a relation with two ends');
  return found;
};

async function collect(file: string, graph: MemoryGraph): Promise<void> {
  const json = await openJson(file);
  if ('lines' in json) {
    for await (const { item, no } of json.lines) if (!add(item, graph)) graph.empty.add(file, no);
    return;
  }
  const { whole } = json;
  if (!isJsonObject(whole)) {
    if (whole === undefined) return;
    throw new ForeignError(`${file}: line 1 is not a JSON object`);
  }
  // Older files, and answers of its tool `read_graph`: one object with both lists.
  const isGraph = Array.isArray(whole.entities) || Array.isArray(whole.relations);
  const items = isGraph
    ? [
        ...objectsOf(whole.entities).map((entity) => ({ ...entity, type: 'entity' })),
        ...objectsOf(whole.relations).map((relation) => ({ ...relation, type: 'relation' })),
      ]
    : [whole];
  for (const [i, item] of items.entries()) if (!add(item, graph)) graph.empty.add(file, i + 1);
}

function add(item: unknown, { entities, relations }: MemoryGraph): boolean {
  if (!isJsonObject(item)) return false;
  const { type, name, entityType, from, to } = item;
  if (type === 'relation' && textOf(from) !== undefined && textOf(to) !== undefined) relations.push(item);
  else if (type === 'entity' && textOf(name) !== undefined) {
    const id = JSON.stringify([name, textOf(entityType) ?? '']);
    entities.set(id, merged(entities.get(id), item));
  } else return false;
  return true;
}

/** An entity that occurs twice has the observations of both: without times, neither is the newer one. */
function merged(before: JsonObject | undefined, item: JsonObject): JsonObject {
  if (!before) return item;
  const all = [...observationsOf(before), ...observationsOf(item)];
  return { ...before, ...item, observations: [...new Map(all.map((one) => [stringify(one), one])).values()] };
}

const observationsOf = ({ observations }: JsonObject): unknown[] => (Array.isArray(observations) ? observations : []);

function entryOf(entity: JsonObject, into: string): ForeignEntry {
  const { type: _, name, entityType, observations: __, ...rest } = entity;
  const known = name as string;
  const confidence = statedConfidence(rest.confidence);
  return {
    entity_path: toPath(into, textOf(entityType) ?? 'entity'),
    key: toKey(known),
    value: { name: known, observations: observationsOf(entity), ...withoutEmpty(rest) },
    agent_id: AGENT,
    source_id: toLabel(known, AGENT),
    ...(confidence === undefined ? {} : { confidence }),
  };
}

function linkOf({ from, to, relationType }: JsonObject, places: ReadonlyMap<string, ForeignEntry>): ForeignLink {
  const end = (name: string) => {
    const at = places.get(name);
    return at ? { name: nodeOf(at), type: 'entry' as const } : { name: toEntity(name), type: 'entity' as const };
  };
  const [one, two] = [end(from as string), end(to as string)];
  return {
    source: one.name,
    source_type: one.type,
    relation: toRelation(textOf(relationType) ?? ''),
    target: two.name,
    target_type: two.type,
    agent_id: AGENT,
  };
}
