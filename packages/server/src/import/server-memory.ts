import { filesAt, readText } from './files.ts';
import { type ForeignData, ForeignError, type ForeignLink, type ForeignReader } from './foreign.ts';
import { isJsonObject, type JsonObject, objectsOf, textOf } from './json-objects.ts';
import { nodeOf, toEntity, toKey, toPath, toRelation } from './names.ts';

const AGENT = 'server-memory';

/**
 * Reads `memory.jsonl` of @modelcontextprotocol/server-memory: a line for each entity and each relation, without times.
 */
export const readServerMemory: ForeignReader = async (path, into) => {
  const items: JsonObject[] = [];
  for (const file of await filesAt(path, ['memory.jsonl', 'memory.json']))
    items.push(...itemsOf(await readText(file), file));
  const places = new Map<string, { entity_path: string; key: string }>();
  const found: ForeignData = { entries: [], links: [], notes: [] };
  for (const { type, name, entityType, observations } of items) {
    const known = textOf(name);
    if (type !== 'entity' || known === undefined) continue;
    const at = { entity_path: toPath(into, textOf(entityType) ?? 'entity'), key: toKey(known) };
    places.set(known, at);
    const value = { name: known, observations: Array.isArray(observations) ? observations : [] };
    found.entries.push({ ...at, value, agent_id: AGENT, source_id: toEntity(known).slice(0, 128) });
  }
  found.links = items.flatMap((item) => linkOf(item, places));
  return found;
};

function linkOf(
  { type, from, to, relationType }: JsonObject,
  places: Map<string, { entity_path: string; key: string }>,
) {
  const [source, target] = [textOf(from), textOf(to)];
  if (type !== 'relation' || source === undefined || target === undefined) return [];
  const end = (name: string) => {
    const at = places.get(name);
    return at ? { name: nodeOf(at), type: 'entry' as const } : { name: toEntity(name), type: 'entity' as const };
  };
  const [one, two] = [end(source), end(target)];
  const link: ForeignLink = {
    source: one.name,
    source_type: one.type,
    relation: toRelation(textOf(relationType) ?? ''),
    target: two.name,
    target_type: two.type,
    agent_id: AGENT,
  };
  return [link];
}

function itemsOf(text: string, file: string): JsonObject[] {
  const whole = parse(text);
  // Older files, and answers of its tool `read_graph`: one object with both lists.
  if (isJsonObject(whole) && (Array.isArray(whole.entities) || Array.isArray(whole.relations)))
    return [
      ...objectsOf(whole.entities).map((entity) => ({ ...entity, type: 'entity' })),
      ...objectsOf(whole.relations).map((relation) => ({ ...relation, type: 'relation' })),
    ];
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const item = parse(line);
    if (isJsonObject(item)) return [item];
    throw new ForeignError(`${file}: line ${i + 1} is not a JSON object`);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
