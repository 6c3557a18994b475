import { EVERYONE, type Work } from '../../kernel/index.ts';
import { findHeads, findVersions } from '../entries/index.ts';
import type { OutcomeRow } from '../ledger/index.ts';
import type { StaleRead } from '../sessions/index.ts';
import { insertStaleReads, type StaleReadRow } from './stale-queries.ts';

/** Keeps what an outcome found stale. Few outcomes find anything. */
export async function recordStaleReads(work: Work, outcome: OutcomeRow, stale: readonly StaleRead[]): Promise<void> {
  if (stale.length === 0) return;
  const { account_id, seq, agent_id, branch } = outcome;
  const visibilities = await visibilitiesOf(work, outcome, stale);
  const rows = stale.flatMap((read, no): StaleReadRow[] => {
    const visible_to = visibilities[no];
    if (visible_to === undefined) return [];
    const { branch: read_branch, entity_path, key, read_version, current_version, changed_by } = read;
    const value_changed = Number(read.value_changed);
    const of = { account_id, seq, no, agent_id, branch, read_branch, entity_path, key };
    return [{ ...of, read_version, current_version, changed_by, value_changed, visible_to }];
  });
  if (rows.length > 0) work.send(work.tx.insertMany(insertStaleReads, rows));
}

/** Who may know of each of them: everyone, unless the version that was read or the one that is there now is the agent's alone. */
async function visibilitiesOf(
  { tx, account_id }: Work,
  { agent_id, visible_to }: OutcomeRow,
  stale: readonly StaleRead[],
): Promise<(string | undefined)[]> {
  const heads = await findHeads(tx, account_id, stale);
  const numbers = stale.map(({ read_version }, i) => ({ entry_id: heads[i]?.entry_id ?? 0, version: read_version }));
  const versions = await findVersions(tx, account_id, numbers);
  return stale.map((_, i) => {
    const [head, version] = [heads[i], versions[i]];
    if (!head || !version) return undefined;
    // What became another agent's alone is shown to this one as gone.
    const isOwn = version.shared === 0 || (head.shared === 0 && head.agent_id === agent_id);
    return visible_to === EVERYONE && !isOwn ? EVERYONE : agent_id;
  });
}
