import type { Dialect, Query, Sql } from '../../db/index.ts';
import { addStored, bytesOfTexts, type EntryView, EVERYONE, type Services, type Work } from '../../kernel/index.ts';
import { findEntriesByNumber, isLive } from '../entries/index.ts';
import * as queries from './queries.ts';
import type { ComparedEntry } from './rules/findings.ts';
import type { PlannedProposal } from './rules/plan.ts';

/** Those that one agent alone may see, and those that one agent suggested. */
const MOST_OF_AGENT = 50;
/** Decided ones that everyone may see; the oldest are deleted. */
const MAX_DECIDED = 500;

export const mostOfAgent = ({ limits }: Services): number =>
  Math.min(limits.max_pending_proposals ?? MOST_OF_AGENT, MOST_OF_AGENT);

/** What some may not see takes no room of theirs. */
export const maxPending = (services: Services, visibleTo: string): number =>
  visibleTo === EVERYONE ? (services.limits.max_pending_proposals ?? queries.MOST_PENDING) : mostOfAgent(services);

/** How many more proposals fit, after the oldest decided ones beyond their number are deleted. */
export async function roomForProposals(work: Work, visibleTo: string): Promise<number> {
  const { tx, account_id } = work;
  const viewer = { account_id, visible_to: visibleTo };
  const counts = new Map((await queries.countByStatus(tx, viewer)).map(({ status, n }) => [status, Number(n)]));
  const decided = (counts.get('approved') ?? 0) + (counts.get('rejected') ?? 0);
  const maxDecided = visibleTo === EVERYONE ? MAX_DECIDED : MOST_OF_AGENT;
  if (decided > maxDecided) await removeProposals(work, queries.decidedBeyond(viewer, maxDecided));
  const room = maxPending(work.services, visibleTo) - (counts.get('pending') ?? 0);
  return room > 0 ? room : Math.max(room + (await removeVoid(work, viewer)), 0);
}

/** Deletes undecided proposals that name something gone: they are listed for nobody. Returns how many. */
async function removeVoid(work: Work, viewer: queries.ProposalViewer): Promise<number> {
  const { tx, account_id, now, dialect } = work;
  const sources = await queries.listPendingSources(tx, viewer);
  const current = await findEntriesByNumber(tx, account_id, sources);
  const isGone = (at: number): boolean => {
    const facts = current[at];
    return facts === undefined || !isLive(facts, now);
  };
  const ids = [...new Set(sources.filter((_, at) => isGone(at)).map(({ proposal_id }) => proposal_id))];
  if (ids.length > 0) await removeProposals(work, dialect.texts(ids));
  return ids.length;
}

/** Deletes proposals, and what they count as storage; `ids` as the dialect makes `texts`. */
export async function removeProposals(work: Work, ids: Sql): Promise<void> {
  const { tx, account_id } = work;
  addStored(work, { storage_bytes: -(await queries.sumProposals(tx, account_id, ids)) });
  await queries.deleteProposals(tx, account_id, ids);
}

/** Deletes undecided proposals about versions of these entries that are not the newest any more. */
export async function dropVoid(work: Work, entryIds: readonly number[]): Promise<void> {
  if (entryIds.length === 0) return;
  const { tx, account_id, dialect } = work;
  const known = await queries.listKnown(tx, work, entryIds);
  // What an agent suggested stays until somebody decides.
  const pending = known.filter(({ status, strategy }) => status === 'pending' && strategy !== 'suggested');
  if (pending.length === 0) return;
  const ids = [...(await outdatedAmong(tx, account_id, pending))];
  if (ids.length > 0) await removeProposals(work, dialect.texts(ids));
}

/** The sources of outdated proposals of runs that name one of these entries: what is left of them may be proposed again. */
export async function sourcesOfOutdated(query: Query, view: EntryView, entryIds: readonly number[]): Promise<number[]> {
  if (entryIds.length === 0) return [];
  const known = await queries.listKnown(query, view, entryIds);
  const undecided = known.filter(
    ({ status, strategy, content_hash }) =>
      strategy !== 'suggested' && (status === 'pending' || (status === 'rejected' && content_hash === '')),
  );
  const ids = await outdatedAmong(query, view.account_id, undecided);
  return [...new Set(undecided.flatMap(({ proposal_id, entry_id }) => (ids.has(proposal_id) ? [entry_id] : [])))];
}

/** The proposals of which a source is not at its version any more. */
async function outdatedAmong(
  query: Query,
  accountId: string,
  sources: readonly queries.ProposalSourceRow[],
): Promise<Set<string>> {
  const current = await findEntriesByNumber(query, accountId, sources);
  const isOutdated = sources.filter(
    ({ version }, at) => current[at]?.version !== version || current[at]?.deleted !== 0,
  );
  return new Set(isOutdated.map(({ proposal_id }) => proposal_id));
}

type Known = { proposal_id: string; status: string; sources: queries.KnownSource[] };

/** Those that wait for no decision yet and were not rejected: what a run would store. */
export async function newAmong(
  query: Query,
  within: { account_id: string; dialect: Dialect; agent_id: string },
  proposals: readonly PlannedProposal[],
): Promise<PlannedProposal[]> {
  const known = await queries.listKnown(query, within, entryIdsIn(proposals));
  return proposals.filter(({ sources, strategy }) => {
    const same = knownFor(known, { strategy, visible_to: visibleToOf(sources, within.agent_id) });
    return !same.some((one) => covers(one, sources));
  });
}

const entryIdsIn = (proposals: readonly PlannedProposal[]): number[] => [
  ...new Set(proposals.flatMap(({ sources }) => sources.map(({ entry_id }) => entry_id))),
];

/** Stores what is new among planned proposals, as far as there is room. */
export async function storeProposals(
  work: Work,
  agentId: string,
  proposals: readonly PlannedProposal[],
): Promise<{ stored: number; isFull: boolean }> {
  const { tx, account_id, dialect } = work;
  const ids = entryIdsIn(proposals);
  if (ids.length === 0) return { stored: 0, isFull: false };
  const [known, current] = await Promise.all([
    queries.listKnown(tx, work, ids),
    findEntriesByNumber(
      tx,
      account_id,
      ids.map((entry_id) => ({ entry_id })),
    ),
  ]);
  const newest = new Map(current.flatMap((facts) => (facts ? [[facts.entry_id, facts] as const] : [])));
  const isNewest = ({ entry_id, version, shared }: ComparedEntry): boolean => {
    const facts = newest.get(entry_id);
    return facts?.version === version && facts.deleted === 0 && facts.shared === shared;
  };
  const rooms = new Map<string, number>();
  let stored = 0;
  for (const proposal of proposals) {
    if (!proposal.sources.every(isNewest)) continue;
    const visible_to = visibleToOf(proposal.sources, agentId);
    const same = knownFor(known, { strategy: proposal.strategy, visible_to });
    if (same.some((one) => covers(one, proposal.sources))) continue;
    const room = rooms.get(visible_to) ?? (await roomForProposals(work, visible_to));
    if (room === 0) return { stored, isFull: true };
    rooms.set(visible_to, room - 1);
    const replaced = same.filter((one) => one.status === 'pending' && isWithin(one, proposal.sources));
    if (replaced.length > 0) await removeProposals(work, dialect.texts(replaced.map(({ proposal_id }) => proposal_id)));
    insertProposal(work, { ...proposal, agent_id: agentId, visible_to, proposed_value: null });
    stored++;
  }
  return { stored, isFull: false };
}

export const visibleToOf = (sources: readonly { shared: number }[], agentId: string): string =>
  sources.every(({ shared }) => shared === 1) ? EVERYONE : agentId;

function knownFor(
  known: readonly queries.KnownSource[],
  { strategy, visible_to }: { strategy: string; visible_to: string },
): Known[] {
  const byId = new Map<string, Known>();
  for (const source of known) {
    if (source.strategy !== strategy || source.visible_to !== visible_to) continue;
    const { proposal_id, status } = source;
    const one = byId.get(proposal_id) ?? { proposal_id, status, sources: [] };
    one.sources.push(source);
    byId.set(proposal_id, one);
  }
  return [...byId.values()];
}

/** Whether the same was proposed before: it waits for a decision, or was rejected. */
const covers = ({ status, sources }: Known, planned: readonly ComparedEntry[]): boolean =>
  status !== 'approved' &&
  planned.every((entry) =>
    sources.some(({ entry_id, content_hash }) => entry_id === entry.entry_id && content_hash === entry.content_hash),
  );

const isWithin = ({ sources }: Known, planned: readonly ComparedEntry[]): boolean =>
  sources.every(({ entry_id }) => planned.some((entry) => entry.entry_id === entry_id));

export type ProposedSource = Pick<
  ComparedEntry,
  'entry_id' | 'entity_path' | 'key' | 'version' | 'content_hash' | 'confidence'
>;
export type NewProposal = {
  strategy: string;
  sources: readonly ProposedSource[];
  rationale: string;
  agent_id: string;
  visible_to: string;
  proposed_value: string | null;
};

/** Sends the rows of a proposal and emits its event. Returns its row. */
export function insertProposal(work: Work, proposal: NewProposal): queries.ProposalRow {
  const { account_id, now } = work;
  const { strategy, sources, rationale, agent_id, visible_to, proposed_value } = proposal;
  const [kept] = sources as [ProposedSource];
  const proposal_id = work.services.ids.next(now);
  const seq = emitAbout(
    work,
    { event_type: 'consolidation_proposed', agent_id, visible_to, sources },
    {
      ...{ proposal_id, strategy },
      source_entry_count: sources.length,
      proposed_confidence: kept.confidence,
    },
  );
  const row: queries.ProposalRow = {
    ...{ account_id, proposal_id, seq, strategy, status: 'pending', branch: 'main', visible_to, agent_id },
    source_count: sources.length,
    proposed_value,
    proposed_confidence: kept.confidence,
    rationale,
    created_at: now,
    reviewed_by: null,
    reviewed_at: null,
  };
  const rows = sources.map(({ entry_id, version, content_hash }, no) => ({
    ...{ account_id, proposal_id, no, entry_id, version, content_hash },
  }));
  addStored(work, { storage_bytes: bytesOfTexts(queries.textsOfProposal(row)) });
  work.send(work.tx.insertMany(queries.insertProposals, [row]));
  work.send(work.tx.insertMany(queries.insertSources, rows));
  return row;
}

type ProposalEvent = {
  event_type: string;
  agent_id: string;
  visible_to: string;
  sources: readonly Pick<ProposedSource, 'entity_path' | 'key'>[];
};

/** Names a path only where all sources are there: a key for one path must not learn of those at others. */
export function emitAbout(
  work: Work,
  { event_type, agent_id, visible_to, sources }: ProposalEvent,
  details: Record<string, unknown>,
): number {
  const [kept] = sources as [ProposedSource];
  const isOnePath = sources.every(({ entity_path }) => entity_path === kept.entity_path);
  const place = isOnePath ? { entity_path: kept.entity_path, key: kept.key } : { entity_path: null, key: null };
  return work.emit({ event_type, agent_id, branch: 'main', version: null, visible_to, ...place, details });
}
