import { Fault } from '@mem-service/contract';
import {
  type Caller,
  changed,
  hashedBy,
  isInScope,
  missingScope,
  readScope,
  unchanged,
  type Work,
  writes,
} from '../../kernel/index.ts';
import { loadContracts } from '../contracts/index.ts';
import {
  authorOf,
  type EntryDraft,
  EntrySet,
  findStoodEntries,
  fromDocument,
  isLive,
  mayAgentSee,
  type StoodEntryFacts,
} from '../entries/index.ts';
import { emitAbout } from './propose.ts';
import * as queries from './queries.ts';
import { type ProposalAnswer, showProposals } from './show.ts';

type Author = ReturnType<typeof authorOf>;
type DecidedSource = { source: queries.ProposalSourceRow; entry: StoodEntryFacts };
type Deciding = { row: queries.ProposalRow; sources: DecidedSource[]; author: Author };

export const decide = writes<'consolidation.decide'>(async (work, { input, caller }) => {
  const author = authorOf(input, caller);
  const deciding = await loadProposal(work, { proposalId: input.proposal_id, caller, author });
  const { row } = deciding;
  const wanted = input.decision === 'approve' ? 'approved' : 'rejected';
  if (row.status === wanted) return unchanged(await shown(work, row));
  if (row.status !== 'pending')
    throw new Fault('conflict', `the proposal was ${row.status} already`, { proposal_id: row.proposal_id });
  if (wanted === 'approved') await mergeSources(work, deciding);
  const { account_id, proposal_id, visible_to } = row;
  const decided = { ...row, status: wanted, reviewed_by: author.agent_id, reviewed_at: work.now };
  await queries.setDecided(work.tx, decided);
  // Who rejects what is outdated has not judged what is there now.
  if (wanted === 'rejected' && deciding.sources.some((one) => isOutdated(work, one)))
    await queries.dropValues(work.tx, row);
  const sources = deciding.sources.map(({ entry }) => entry);
  const event = { event_type: `consolidation_${wanted}`, agent_id: author.agent_id, visible_to, sources };
  emitAbout(work, event, { proposal_id, strategy: row.strategy, source_entry_count: sources.length });
  await work.waitForSent();
  const answer = await shown(work, { ...decided, account_id });
  return changed(answer, { resource: proposal_id, ...hashedBy(answer), holds: [sources, { agent_id: row.agent_id }] });
});

async function shown({ tx, dialect }: Work, row: queries.ProposalRow): Promise<ProposalAnswer> {
  const [answer] = await showProposals(tx, dialect, [row]);
  if (!answer) throw notFound(row.proposal_id);
  return answer;
}

const notFound = (proposal_id: string): Fault =>
  new Fault('not_found', `there is no proposal ${proposal_id}`, { proposal_id });

/** A proposal is there for those who may see all its sources, and to be decided by those who may write them. */
async function loadProposal(
  work: Work,
  { proposalId, caller, author }: { proposalId: string; caller: Caller; author: Author },
): Promise<Deciding> {
  const { tx, account_id, dialect } = work;
  const { agent_id } = author;
  const row = await queries.getProposal(tx, account_id, proposalId);
  if (!row || (row.visible_to !== '' && row.visible_to !== agent_id)) throw notFound(proposalId);
  const rows = await queries.listSources(tx, account_id, dialect.texts([proposalId]));
  const found = await findStoodEntries(
    tx,
    account_id,
    rows.map(({ entry_id }) => entry_id),
  );
  const sources = rows.flatMap((source, at): DecidedSource[] => {
    const entry = found[at];
    const isShown = entry && mayAgentSee(entry, agent_id) && isInScope(readScope(caller), entry.entity_path);
    return isShown ? [{ source, entry }] : [];
  });
  if (sources.length !== row.source_count) throw notFound(proposalId);
  for (const { entry } of sources)
    if (!isInScope(caller.key?.write, entry.entity_path))
      throw missingScope('WRITE', { kind: 'exact', path: entry.entity_path });
  return { row, sources, author };
}

const isOutdated = ({ now }: Work, { source, entry }: DecidedSource): boolean =>
  !isLive(entry, now) || entry.version !== source.version;

/** Keeps the first source, with the proposed value, and deletes the others; all are as they were when it was proposed. */
async function mergeSources(work: Work, { row, sources, author }: Deciding): Promise<void> {
  const places = sources.map(({ entry: { entity_path, key } }) => ({ branch: row.branch, entity_path, key }));
  const [entries, check] = await Promise.all([EntrySet.load(work, places), loadContracts(work, [author.agent_id])]);
  const outdated = sources.find((one) => isOutdated(work, one));
  if (outdated) throw outdatedFault(work, row, outdated);
  const details = { proposal_id: row.proposal_id };
  places.forEach((place, at) => {
    const if_version = sources[at]?.source.version;
    if (at > 0) entries.apply({ ...place, ...author, value: undefined, if_version }, { event_type: 'delete', details });
    else if (row.proposed_value !== null)
      entries.apply(
        keptDraft(entries, { ...place, ...author, if_version }, row),
        { event_type: 'write', details },
        check,
      );
  });
  await entries.save();
}

function outdatedFault({ now }: Work, { strategy, proposal_id }: queries.ProposalRow, { entry }: DecidedSource): Fault {
  const { entity_path, key } = entry;
  const current_version = isLive(entry, now) ? entry.version : 0;
  const advice =
    strategy === 'suggested'
      ? 'reject it, and suggest it again'
      : 'consolidate again, and what still holds is proposed again';
  const message = `${entity_path}/${key} has changed since this was proposed: ${advice}`;
  return new Fault('version_conflict', message, { entity_path, key, current_version, proposal_id });
}

type KeptPlace = Omit<EntryDraft, 'value'>;

/** The entry stays what it was but for its value. */
function keptDraft(entries: EntrySet, place: KeptPlace, row: queries.ProposalRow): EntryDraft {
  const entry = entries.get(place);
  const { pattern_refs, artifact_refs, ttl_at, memory_type } = entry ? fromDocument(entry) : {};
  const value = row.proposed_value as string;
  return { ...place, value, confidence: row.proposed_confidence, pattern_refs, artifact_refs, ttl_at, memory_type };
}
