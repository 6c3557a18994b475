import { findTraces, SELF_CALLER, type Work } from '@mem-service/server/module';
import { findLooks, insertLooks, type LookRow } from './looks.ts';
import type { NewLook } from './match-traces.ts';
import { groupedBy } from './rules/grouped-by.ts';

/**
 * Stores those of the looks that are new. Matches are reported in the log: one event for the traces of an agent. A trace that was
 * removed in the meantime has none.
 */
export async function saveLooks(work: Work, looks: readonly NewLook[]): Promise<LookRow[]> {
  const { tx, account_id, now } = work;
  if (looks.length === 0) return [];
  const seqs = looks.map(({ trace_seq }) => trace_seq);
  const [traces, known] = await Promise.all([findTraces(tx, account_id, seqs), findLooks(tx, account_id, looks)]);
  const rows = looks.flatMap((look, i): LookRow[] => {
    const facts = traces[i];
    if (!facts || facts.trace_id !== look.trace_id || known[i]) return [];
    const { agent_id, branch, visible_to, created_at: traced_at } = facts;
    return [{ account_id, ...look, agent_id, branch, visible_to, traced_at, seq: 0, created_at: now }];
  });
  const groups = groupedBy(rows, ({ agent_id, branch, visible_to }) => [agent_id, branch, visible_to].join('\n'));
  for (const group of groups.values()) report(work, group);
  if (rows.length > 0) work.send(tx.insertMany(insertLooks, rows));
  return rows;
}

/** Where nothing was found there is nothing to report: such traces count from the next event on, whatever it is. */
function report(work: Work, rows: readonly LookRow[]): void {
  const [{ agent_id, branch, visible_to }] = rows as [LookRow];
  const matched = rows.filter(({ result }) => result === 'match');
  const seq =
    matched.length === 0
      ? work.account.seq + 1
      : work.emit({
          event_type: 'traces_matched',
          ...{ agent_id, branch, visible_to, entity_path: null, key: null, version: null },
          details: { matched: matched.length, traces: [...new Set(matched.map(({ trace_seq }) => trace_seq))] },
          actor_agent_id: SELF_CALLER.agent_id,
        });
  for (const row of rows) row.seq = seq;
}
