import { OUTDATED_CONFIDENCE, statedConfidence } from './confidence.ts';
import { filesAt, readJson } from './files.ts';
import { type ForeignData, type ForeignEntry, ForeignError, type ForeignReader } from './foreign.ts';
import { idOf, isJsonObject, type JsonObject, objectsOf, textOf, withoutEmpty } from './json-objects.ts';
import { newTaker, type TakeRecords } from './left-out.ts';
import { nodeOf, toEntity, toKey, toLabel, toPath, toRelation } from './names.ts';
import { toTime } from './times.ts';

const AGENT = 'zep';

type ZepLists = { sessions: JsonObject[]; nodes: JsonObject[]; edges: JsonObject[]; episodes: JsonObject[] };

/**
 * Reads JSON from the API of Zep and of Graphiti, in one file or several: sessions with `messages` and `facts`, and
 * graphs with `nodes`, `edges` and `episodes`.
 */
export const readZep: ForeignReader = async (path, into) => {
  const lists: ZepLists = { sessions: [], nodes: [], edges: [], episodes: [] };
  for (const file of await filesAt(path, ['.json'])) collect(await readJson(file), lists, file);
  const nodes = nodeEntries(lists.nodes, into);
  const { take, notes } = newTaker();
  const entries = [
    ...lists.sessions.flatMap((session) => sessionEntries(session, into, take)),
    ...nodes.values(),
    ...lists.edges.flatMap((edge) => factEntry(edge, toPath(into, 'facts'))),
    ...take(lists.episodes, (episode) => episodeEntry(episode, into)),
  ];
  const unnamed = lists.nodes.filter((node) => idOf(node.uuid) === undefined || textOf(node.name) === undefined).length;
  return {
    entries,
    links: lists.edges.flatMap((edge) => linkOf(edge, nodes)),
    notes: [...notes(), ...(unnamed > 0 ? [`${unnamed} nodes without a name or an id are left out`] : [])],
  } satisfies ForeignData;
};

function collect(json: unknown, lists: ZepLists, file: string): void {
  const whole = Array.isArray(json) ? { items: json } : json;
  if (!isJsonObject(whole)) throw new ForeignError(`${file} is nothing that Zep gives`);
  const items = objectsOf((whole as JsonObject).items);
  const has = (name: string) => items.filter((item) => name in item);
  lists.sessions.push(...objectsOf(whole.sessions), ...has('session_id').filter((item) => !('content' in item)));
  lists.nodes.push(...objectsOf(whole.nodes), ...has('labels'));
  lists.edges.push(...objectsOf(whole.edges), ...has('source_node_uuid'));
  lists.episodes.push(...objectsOf(whole.episodes), ...has('source_description'));
  // The memory of a single session, as the API returns it.
  if (Array.isArray(whole.messages) || Array.isArray(whole.facts) || Array.isArray(whole.relevant_facts))
    lists.sessions.push(whole);
}

function sessionEntries(session: JsonObject, into: string, take: TakeRecords): ForeignEntry[] {
  const id = idOf(session.session_id) ?? idOf(session.thread_id) ?? 'session';
  const user = idOf(session.user_id);
  const facts = [...objectsOf(session.facts), ...objectsOf(session.relevant_facts)];
  return [
    ...take(objectsOf(session.messages), (message, i) => messageEntry(message, { id, into, i })),
    ...take(facts, (fact) => factEntry(fact, user === undefined ? toPath(into, 'facts') : toPath(into, 'users', user))),
  ];
}

function messageEntry(message: JsonObject, { id, into, i }: { id: string; into: string; i: number }): ForeignEntry[] {
  const { role, role_type, metadata, name } = message;
  const content = textOf(message.content);
  if (content === undefined) return [];
  return [
    {
      entity_path: toPath(into, 'sessions', id),
      key: toKey(idOf(message.uuid) ?? `message-${i}`),
      value: withoutEmpty({ role, role_type, name, content, metadata }),
      agent_id: toLabel(textOf(name) ?? textOf(role) ?? textOf(role_type) ?? '', AGENT),
      session_id: toLabel(id, AGENT),
      written_at: toTime(message.created_at),
      source_id: toLabel(idOf(message.uuid) ?? `message-${i}`, AGENT),
      memory_type: 'experience',
    },
  ];
}

/** A fact of a session, or an edge of a graph, which also states a fact. */
function factEntry(fact: JsonObject, entity_path: string): ForeignEntry[] {
  const text = textOf(fact.fact);
  if (text === undefined) return [];
  const { rating, name, valid_at, invalid_at, expired_at, attributes } = fact;
  const uuid = idOf(fact.uuid);
  const stated = statedConfidence(fact.confidence, rating);
  // A score of another scale is kept as it is.
  const score = stated === undefined ? { rating, confidence: fact.confidence } : {};
  const now = new Date().toISOString();
  const isOver = [invalid_at, expired_at].some((end) => (toTime(end) ?? now) < now);
  const confidence = stated ?? (isOver ? OUTDATED_CONFIDENCE : undefined);
  return [
    {
      entity_path,
      key: toKey(uuid ?? text),
      value: { fact: text, ...withoutEmpty({ name, valid_at, invalid_at, expired_at, attributes, ...score }) },
      agent_id: AGENT,
      written_at: toTime(fact.created_at),
      source_id: toLabel(uuid ?? text, AGENT),
      ...(confidence === undefined ? {} : { confidence }),
    },
  ];
}

/** Nodes by name; if two have the same name, the second also gets its id. */
function nodeEntries(nodes: readonly JsonObject[], into: string): Map<string, ForeignEntry> {
  const found = new Map<string, ForeignEntry>();
  const taken = new Set<string>();
  for (const node of nodes) {
    const uuid = idOf(node.uuid);
    const name = textOf(node.name);
    if (uuid === undefined || name === undefined || found.has(uuid)) continue;
    const key = toKey(taken.has(name) ? `${name} ${uuid}` : name);
    taken.add(name);
    const { labels, summary, attributes } = node;
    found.set(uuid, {
      entity_path: toPath(into, 'nodes'),
      key,
      value: { name, ...withoutEmpty({ labels, summary, attributes }) },
      agent_id: AGENT,
      written_at: toTime(node.created_at),
      source_id: toLabel(uuid, AGENT),
    });
  }
  return found;
}

function episodeEntry(episode: JsonObject, into: string): ForeignEntry[] {
  const content = textOf(episode.content);
  const uuid = idOf(episode.uuid);
  if (content === undefined || uuid === undefined) return [];
  const { name, source, source_description, role, valid_at } = episode;
  return [
    {
      entity_path: toPath(into, 'episodes'),
      key: toKey(uuid),
      value: { content, ...withoutEmpty({ name, source, source_description, role, valid_at }) },
      agent_id: toLabel(textOf(role) ?? '', AGENT),
      written_at: toTime(episode.created_at),
      source_id: toLabel(uuid, AGENT),
      memory_type: 'experience',
    },
  ];
}

function linkOf(edge: JsonObject, nodes: ReadonlyMap<string, ForeignEntry>) {
  const [source, target] = [idOf(edge.source_node_uuid), idOf(edge.target_node_uuid)];
  if (source === undefined || target === undefined) return [];
  const end = (uuid: string) => {
    const at = nodes.get(uuid);
    return at ? { name: nodeOf(at), type: 'entry' as const } : { name: toEntity(uuid), type: 'entity' as const };
  };
  const [one, two] = [end(source), end(target)];
  const relation = toRelation(textOf(edge.name) ?? '');
  const ends = { source: one.name, source_type: one.type, target: two.name, target_type: two.type };
  return [{ ...ends, relation, agent_id: AGENT }];
}
