import { filesAt, readText } from './files.ts';
import { type Foreign, ForeignError, type ForeignLink, type Reader } from './foreign.ts';
import { isMembers, type Members, objectsOf, textOf } from './members.ts';
import { nodeOf, toEntity, toKey, toPath, toRelation } from './names.ts';

const AGENT = 'server-memory';

/** `memory.jsonl` of @modelcontextprotocol/server-memory: a line for each entity and each relation. It knows no times. */
export const readServerMemory: Reader = async (path, into) => {
  const items: Members[] = [];
  for (const file of await filesAt(path, ['memory.jsonl', 'memory.json']))
    items.push(...itemsOf(await readText(file), file));
  const places = new Map<string, { entity_path: string; key: string }>();
  const found: Foreign = { entries: [], links: [], notes: [] };
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

function linkOf({ type, from, to, relationType }: Members, places: Map<string, { entity_path: string; key: string }>) {
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

function itemsOf(text: string, file: string): Members[] {
  const whole = parse(text);
  // Before it wrote lines, and what its tool `read_graph` answers: one object with both lists.
  if (isMembers(whole) && (Array.isArray(whole.entities) || Array.isArray(whole.relations)))
    return [
      ...objectsOf(whole.entities).map((entity) => ({ ...entity, type: 'entity' })),
      ...objectsOf(whole.relations).map((relation) => ({ ...relation, type: 'relation' })),
    ];
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const item = parse(line);
    if (isMembers(item)) return [item];
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
