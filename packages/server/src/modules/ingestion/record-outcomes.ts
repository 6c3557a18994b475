import { operations } from '@mem-service/contract';
import {
  EVERYONE,
  entryName,
  MAIN_BRANCH,
  MAIN_LINEAGE,
  viewInWork,
  type Work,
  type WriteItem,
} from '../../kernel/index.ts';
import { listEvidence, listOutcomesOf } from '../ledger/index.ts';
import { commitTogether } from '../outcomes/index.ts';
import type { Linked } from './link-results.ts';

const MAX_CAUSES = 100;

/**
 * Commits how work ended that named the reference of a result: what that work was credited with is credited again by how it
 * turned out. Nothing is recorded for a reference that nobody named.
 */
export async function recordOutcomes(work: Work, linked: readonly Linked[]): Promise<void> {
  for (const one of linked) {
    const item = one.arrival.records_outcomes && one.write.outcome ? await outcomeOf(work, one) : undefined;
    // A refusal, such as of a type that there is not, leaves the event as it is.
    if (item && commitTogether.kind === 'set') await commitTogether.run(work, [item]);
  }
}

async function outcomeOf(
  work: Work,
  { arrival, write: { outcome } }: Linked,
): Promise<WriteItem<'outcomes.commit'> | undefined> {
  const causal_entry_keys = await causesOf(work, outcome?.outcome_ref ?? '', arrival.caller.key?.write);
  if (causal_entry_keys.length === 0) return undefined;
  const parsed = operations['outcomes.commit'].input.safeParse({
    ...outcome,
    causal_entry_keys,
    // There is no session to make a trace of.
    trace_follows: true,
    branch: MAIN_BRANCH,
    agent_id: arrival.sender,
  });
  if (!parsed.success) return undefined;
  const caller = { ...arrival.caller, session_id: null, idempotency_key: undefined };
  return { caller, input: parsed.data, lineage: MAIN_LINEAGE };
}

/** The shared entries that earlier outcomes of this reference were credited to. */
async function causesOf(work: Work, outcome_ref: string, scope: Parameters<typeof listEvidence>[1]['scope']) {
  const { account_id, tx, dialect } = work;
  const view = viewInWork(work, { lineage: MAIN_LINEAGE, agent_id: EVERYONE });
  const seqs = (await listOutcomesOf(tx, view, [{ outcome_ref }])).map(({ seq }) => seq);
  if (seqs.length === 0) return [];
  const lines = await listEvidence(tx, { account_id, agent_id: EVERYONE, scope }, dialect.numbers(seqs));
  const found = new Map<string, { entity_path: string; key: string }>();
  for (const { entity_path, key } of lines)
    if (entity_path !== null && key !== null) found.set(entryName(entity_path, key), { entity_path, key });
  return [...found.values()].slice(0, MAX_CAUSES);
}
