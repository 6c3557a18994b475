import { Fault, type Input, invalidInput } from '@mem-service/contract';
import {
  type Caller,
  changed,
  hashedBy,
  isInScope,
  missingScope,
  readScope,
  type Work,
  type WriteItem,
  writes,
} from '../../kernel/index.ts';
import { authorOf, checkWrites, type EntryRow, EntrySet, isLive, mayAgentSee } from '../entries/index.ts';
import { insertProposal, maxPending, roomForProposals, visibleToOf } from './propose.ts';
import { showProposals } from './show.ts';

type ProposeInput = Input<'consolidation.propose'>;

/** A proposal is shown in lists of many. */
const MAX_VALUE_BYTES = 64 * 1024;

export const propose = writes<'consolidation.propose'>(async (work, { input, caller }) => {
  const author = authorOf(input, caller);
  const sources = await loadSources(work, { input, caller, agentId: author.agent_id });
  checkValue(work, input, sources[0] as EntryRow);
  const max_pending = maxPending(work.services);
  if ((await roomForProposals(work)) === 0)
    throw new Fault('conflict', `the account has ${max_pending} undecided proposals; decide some of them first`, {
      max_pending,
    });
  const row = insertProposal(work, {
    strategy: 'suggested',
    sources,
    rationale: input.rationale,
    agent_id: author.agent_id,
    visible_to: visibleToOf(sources, author.agent_id),
    proposed_value: input.value?.text ?? null,
  });
  await work.waitForSent();
  const [answer] = await showProposals(work.tx, work.dialect, [row]);
  if (!answer) throw new Error('a new proposal has its sources');
  return changed(answer, { resource: row.proposal_id, ...hashedBy(answer) });
});

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
