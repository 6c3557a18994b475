import { findTraces, SELF_CALLER, type Work } from '@mem-service/server/module';
import type { JudgedTrace, JudgeFinding, NumberedVersion } from '../evaluation/index.ts';
import { findHumanVerdicts, findVerdicts, insertVerdicts, type VerdictRow } from './queries.ts';

/** What a version of a judge found in a trace. */
export type NewVerdict = {
  trace: Pick<JudgedTrace, 'seq' | 'trace_id' | 'is_partial'>;
  judge_id: string;
  judge_version: number;
  finding: JudgeFinding;
  cost_usd: number | null;
};

/** Numbers of entries are no names, so that nothing of a verdict has to be erased with an entry. */
export type VerdictEvidence = { spans: readonly string[]; entries: readonly (readonly [number, number])[] };

const evidenceOf = ({ span_ids, entries }: JudgeFinding): VerdictEvidence => ({
  spans: span_ids,
  entries: entries.map(({ entry_id, version }) => [entry_id, version] as const),
});

export function versionsIn({ evidence }: Pick<VerdictRow, 'evidence'>): NumberedVersion[] {
  const { entries } = JSON.parse(evidence) as VerdictEvidence;
  return entries.map(([entry_id, version]) => ({ entry_id, version }));
}

/**
 * Stores those of the verdicts that are new, and reports them in the log: one event for the traces of an agent. A trace that
 * was removed since it was judged has none.
 */
export async function saveVerdicts(work: Work, verdicts: readonly NewVerdict[]): Promise<VerdictRow[]> {
  const { tx, account_id } = work;
  if (verdicts.length === 0) return [];
  const keys = verdicts.map(({ trace, judge_id, judge_version }) => ({
    trace_seq: trace.seq,
    judge_id,
    judge_version,
  }));
  const [traces, known, human] = await Promise.all([
    findTraces(
      tx,
      account_id,
      keys.map(({ trace_seq }) => trace_seq),
    ),
    findVerdicts(tx, account_id, keys),
    findHumanVerdicts(tx, account_id, keys),
  ]);
  const rows = verdicts.flatMap(({ trace, judge_id, judge_version, finding, cost_usd }, i): VerdictRow[] => {
    const facts = traces[i];
    if (!facts || facts.trace_id !== trace.trace_id || known[i]) return [];
    const { agent_id, branch, visible_to, created_at: traced_at } = facts;
    return [
      {
        ...{ account_id, trace_seq: trace.seq, judge_id, judge_version, trace_id: trace.trace_id },
        ...{ agent_id, branch, visible_to, traced_at },
        result: human[i]?.result ?? finding.result,
        judge_result: finding.result,
        score: finding.score,
        reason: finding.reason,
        evidence: JSON.stringify(evidenceOf(finding)),
        is_partial: Number(trace.is_partial),
        cost_usd,
        seq: 0,
        created_at: work.now,
      },
    ];
  });
  for (const group of groupsOf(rows)) report(work, group);
  if (rows.length > 0) work.send(tx.insertMany(insertVerdicts, rows));
  return rows;
}

/** Those of one agent on one branch that the same may see. */
function groupsOf(rows: readonly VerdictRow[]): VerdictRow[][] {
  const groups = new Map<string, VerdictRow[]>();
  for (const row of rows) {
    const name = [row.agent_id, row.branch, row.visible_to].join('\n');
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  return [...groups.values()];
}

function report(work: Work, rows: readonly VerdictRow[]): void {
  const [{ agent_id, branch, visible_to }] = rows as [VerdictRow];
  const failed = rows.filter(({ result }) => result === 'fail').length;
  const seq = work.emit({
    event_type: 'traces_judged',
    ...{ agent_id, branch, visible_to, entity_path: null, key: null, version: null },
    details: { verdicts: rows.length, failed, traces: [...new Set(rows.map(({ trace_seq }) => trace_seq))] },
    actor_agent_id: SELF_CALLER.agent_id,
  });
  for (const row of rows) row.seq = seq;
}
