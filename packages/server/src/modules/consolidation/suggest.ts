import { Fault, type Input, invalidInput } from '@mem-service/contract';
import {
  bytesOfTexts,
  type Caller,
  changed,
  EVERYONE,
  hashedBy,
  isInScope,
  missingScope,
  readScope,
  requireNewest,
  requireRoom,
  type Work,
  type WriteItem,
  writes,
} from '../../kernel/index.ts';
import { authorOf, checkWrites, type EntryRow, EntrySet, isLive, mayAgentSee } from '../entries/index.ts';
import { insertProposal, maxPending, mostOfAgent, roomForProposals, visibleToOf } from './propose.ts';
import { countSuggested } from './queries.ts';
import { showProposals } from './show.ts';

type ProposeInput = Input<'consolidation.propose'>;

/** A proposal is shown in lists of many. */
const MAX_VALUE_BYTES = 64 * 1024;

export const propose = writes<'consolidation.propose'>(async (work, { input, caller, lineage }) => {
  requireNewest({ lineage }, 'a proposal to consolidate');
  const author = authorOf(input, caller);
  const sources = await loadSources(work, { input, caller, agentId: author.agent_id });
  checkValue(work, input, sources[0] as EntryRow);
  const visible_to = visibleToOf(sources, author.agent_id);
  await requirePlace(work, visible_to, author.agent_id);
  requireRoom(work, { bytes: bytesOfTexts([input.value?.text ?? null, input.rationale]) });
  const row = insertProposal(work, {
    strategy: 'suggested',
    sources,
    rationale: input.rationale,
    agent_id: author.agent_id,
    visible_to,
    proposed_value: input.value?.text ?? null,
  });
  await work.waitForSent();
  const [answer] = await showProposals(work.tx, work.dialect, [row]);
  if (!answer) throw new Error('a new proposal has its sources');
  return changed(answer, { resource: row.proposal_id, ...hashedBy(answer) });
});

/** One agent cannot take all places. */
async function requirePlace(work: Work, visibleTo: string, agentId: string): Promise<void> {
  const { tx, account_id, services } = work;
  const isFull = (who: string, max_pending: number): Fault =>
    new Fault('conflict', `${who} has ${max_pending} undecided proposals; decide some of them first`, { max_pending });
  if ((await roomForProposals(work, visibleTo)) === 0)
    throw isFull(visibleTo === EVERYONE ? 'the account' : 'the agent', maxPending(services, visibleTo));
  const suggested = await countSuggested(tx, { account_id, visible_to: visibleTo }, agentId);
  if (suggested >= mostOfAgent(services)) throw isFull('the agent', mostOfAgent(services));
}

type SuggestedSources = Pick<WriteItem<'consolidation.propose'>, 'input' | 'caller'> & { agentId: string };

async function loadSources(work: Work, { input, caller, agentId }: SuggestedSources): Promise<EntryRow[]> {
  const { branch } = input;
  const names = new Set(input.sources.map(({ entity_path, key }) => `${entity_path}\n${key}`));
  if (names.size < input.sources.length)
    throw invalidInput([{ path: 'sources', message: 'must not name an entry twice' }]);
  mustRead(caller, input);
  const entries = await EntrySet.load(
    work,
    input.sources.map(({ entity_path, key }) => ({ branch, entity_path, key })),
  );
  return input.sources.map(({ entity_path, key }) => {
    const entry = entries.get({ branch, entity_path, key });
    if (entry && isLive(entry, work.now) && mayAgentSee(entry, agentId)) return entry;
    throw new Fault('not_found', `there is no entry ${entity_path}/${key}`, { entity_path, key });
  });
}

/** The answer shows the sources. */
function mustRead(caller: Caller, { sources }: ProposeInput): void {
  for (const { entity_path } of sources)
    if (!isInScope(readScope(caller), entity_path)) throw missingScope('READ', { kind: 'exact', path: entity_path });
}

function checkValue(work: Work, { value, branch }: ProposeInput, { entity_path, key, document }: EntryRow): void {
  const bytes = Buffer.byteLength(value?.text ?? document);
  if (bytes > MAX_VALUE_BYTES)
    throw new Fault('value_too_large', `the value has ${bytes} bytes; a proposal may have ${MAX_VALUE_BYTES}`, {
      ...{ entity_path, key, max_value_bytes: MAX_VALUE_BYTES },
    });
  if (value) checkWrites(work, [{ entity_path, key, value }], { name: 'sources', branch, prepared: undefined });
}
