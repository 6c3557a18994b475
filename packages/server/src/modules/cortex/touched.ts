import type { Query } from '../../db/index.ts';
import { EVERYONE, groupBySeq, type Kernel, type LogEvent, MAIN_BRANCH } from '../../kernel/index.ts';
import { findNamedNumbers, findVersions } from '../entries/index.ts';
import { entryNode, listPathsLinkedFrom } from '../graph/index.ts';
import { findOutcomes, listEvidence } from '../ledger/index.ts';
import {
  type DueDigest,
  dueDigests,
  type Touched,
  type TouchedEntry,
  type TouchedOutcome,
  type TouchedPath,
} from './rules/due.ts';

const CHANGES = ['write', 'delete', 'expire', 'entry_quarantined', 'entry_released'] as const;
export const EVENT_TYPES = [...CHANGES, 'outcome', 'edge_added', 'webhook_ingested'] as const;
const VERSION_EVENTS: readonly string[] = CHANGES;

type Read = { query: Query; account_id: string; dialect: Kernel['services']['database']['dialect'] };

/** Events that are looked at in one turn of the event loop. */
const LOOKED_AT = 500;

/** Each digest once that some events of the log make due. */
export async function dueBy(read: Read, events: readonly LogEvent[]): Promise<DueDigest[]> {
  const due = new Map<string, DueDigest>();
  // Other branches have no digests.
  const onMain = events.filter(({ branch }) => branch === MAIN_BRANCH);
  for (let from = 0; from < onMain.length; from += LOOKED_AT)
    dueDigests(await touchedBy(read, onMain.slice(from, from + LOOKED_AT)), due);
  return [...due.values()];
}

/** What some events of the log touched, as far as digests are about it. */
async function touchedBy(read: Read, events: readonly LogEvent[]): Promise<Touched> {
  const [entries, outcomes, linked] = await Promise.all([
    touchedEntries(read, events),
    touchedOutcomes(read, events),
    linkedByWebhooks(read, events),
  ]);
  return { entries, outcomes, paths: [...events.flatMap(linkedPaths), ...linked] };
}

type NamedInLog = LogEvent & { entity_path: string; key: string };
type VersionInLog = NamedInLog & { version: number };

/** An event without a name belongs to an erased entry. */
const isVersion = (event: LogEvent): event is VersionInLog =>
  VERSION_EVENTS.includes(event.event_type) &&
  event.entity_path !== null &&
  event.key !== null &&
  event.version !== null;

async function touchedEntries({ query, account_id }: Read, events: readonly LogEvent[]): Promise<TouchedEntry[]> {
  const written = events.filter(isVersion);
  const found = await findNamedNumbers(query, account_id, written);
  const earlier = written.flatMap(({ version }, i) => {
    const entry_id = found[i]?.entry_id;
    return entry_id === undefined || version === 1 ? [] : [{ entry_id, version: version - 1 }];
  });
  const before = new Map(
    (await findVersions(query, account_id, earlier)).flatMap((row) =>
      row ? [[`${row.entry_id} ${row.version}`, row.agent_id]] : [],
    ),
  );
  return written.flatMap((event, i): TouchedEntry[] => {
    const { branch, seq, entity_path, agent_id, version, visible_to } = event;
    const facts = found[i];
    if (!facts) return [];
    const author = before.get(`${facts.entry_id} ${version - 1}`);
    const is_private = visible_to !== EVERYONE;
    // Nobody else has ever seen it.
    if (is_private && version === 1) return [];
    const agents = [...new Set([agent_id, ...(author === undefined ? [] : [author])])];
    const has_patterns = facts.pattern_refs !== '[]';
    const is_new = version === 1 && event.event_type === 'write';
    return [{ branch, seq, entity_path, entry_id: facts.entry_id, agents, is_new, is_private, has_patterns }];
  });
}

async function touchedOutcomes(
  { query, account_id, dialect }: Read,
  events: readonly LogEvent[],
): Promise<TouchedOutcome[]> {
  const seqs = events.flatMap(({ event_type, seq, visible_to }) =>
    event_type === 'outcome' && visible_to === EVERYONE ? seq : [],
  );
  if (seqs.length === 0) return [];
  const everybody = { account_id, agent_id: EVERYONE, scope: undefined };
  const [outcomes, lines] = await Promise.all([
    findOutcomes(query, account_id, seqs),
    listEvidence(query, everybody, dialect.numbers(seqs)),
  ]);
  const linesOf = groupBySeq(lines);
  return outcomes.flatMap((outcome): TouchedOutcome[] => {
    if (!outcome || outcome.visible_to !== EVERYONE) return [];
    const { branch, seq, agent_id } = outcome;
    const causes = (linesOf.get(seq) ?? []).flatMap((line) => {
      const { entry_id, entity_path, written_by } = line;
      if (entry_id === null || entity_path === null || line.branch !== branch) return [];
      return [{ entry_id, entity_path, written_by, success: line.success === 1 }];
    });
    return [{ branch, seq, agent_id, causes }];
  });
}

function linkedPaths({ event_type, branch, seq, visible_to, details }: LogEvent): TouchedPath[] {
  if (event_type !== 'edge_added' || visible_to !== EVERYONE) return [];
  const { source, source_type, target, target_type } = JSON.parse(details) as Record<string, unknown>;
  const ends = [...(source_type === 'entity' ? [source] : []), ...(target_type === 'entity' ? [target] : [])];
  return ends.flatMap((end) => (typeof end === 'string' ? [{ branch, seq, entity_path: end }] : []));
}

/** The event of a webhook says that its entry was linked, and not to what. */
const isLinked = (event: LogEvent): event is NamedInLog =>
  event.event_type === 'webhook_ingested' &&
  event.entity_path !== null &&
  event.key !== null &&
  (JSON.parse(event.details) as { links?: number }).links !== undefined;

async function linkedByWebhooks(
  { query, account_id, dialect }: Read,
  events: readonly LogEvent[],
): Promise<TouchedPath[]> {
  const linked = events.filter(isLinked);
  if (linked.length === 0) return [];
  const found = await findNamedNumbers(query, account_id, linked);
  const seqs = new Map(found.flatMap((entry, i) => (entry ? [[entryNode(entry.entry_id), linked[i]?.seq ?? 0]] : [])));
  const nodes = dialect.texts([...seqs.keys()]);
  const branch = MAIN_BRANCH;
  const paths = await listPathsLinkedFrom(query, { account_id, branch, nodes });
  return paths.map(({ source, target }) => ({ branch, seq: seqs.get(source) ?? 0, entity_path: target }));
}
