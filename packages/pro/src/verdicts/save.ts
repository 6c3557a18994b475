import {
  bytesOfTexts,
  Fault,
  findTraces,
  type judgeShapes,
  SELF_CALLER,
  storeMore,
  type Work,
} from '@mem-service/server/module';
import type { JudgedTrace, JudgeFinding, NumberedVersion } from '../evaluation/index.ts';
import { findKnown, findResultsOfPeople } from './known.ts';
import {
  deleteVerdicts,
  findVerdicts,
  insertVerdicts,
  textsOfVerdict,
  type VerdictKey,
  type VerdictRow,
} from './queries.ts';
import { isOpen } from './rules/open-verdict.ts';

/** What a version of a judge found in a trace. */
export type NewVerdict = {
  trace: Pick<JudgedTrace, 'seq' | 'trace_id' | 'is_partial'>;
  judge_id: string;
  judge_version: number;
  finding: JudgeFinding;
  /** Null where no model was to be asked. */
  model_call: judgeShapes.JudgeModelCall | null;
};

/** Numbers of entries are no names, so that nothing of a verdict has to be erased with an entry. */
export type VerdictEvidence = { spans: readonly string[]; entries: readonly (readonly [number, number])[] };

/** So many are stored in a transaction: other writes wait no longer than for these. */
export const VERDICTS_AT_ONCE = 2_500;

const NO_EVIDENCE = JSON.stringify({ spans: [], entries: [] } satisfies VerdictEvidence);

function evidenceOf({ span_ids, entries }: JudgeFinding): string {
  if (span_ids.length + entries.length === 0) return NO_EVIDENCE;
  const numbered = entries.map(({ entry_id, version }) => [entry_id, version] as const);
  return JSON.stringify({ spans: span_ids, entries: numbered } satisfies VerdictEvidence);
}

export function versionsIn({ evidence }: Pick<VerdictRow, 'evidence'>): NumberedVersion[] {
  const { entries } = JSON.parse(evidence) as VerdictEvidence;
  return entries.map(([entry_id, version]) => ({ entry_id, version }));
}

const keyOf = ({ trace, judge_id, judge_version }: NewVerdict): VerdictKey => ({
  trace_seq: trace.seq,
  judge_id,
  judge_version,
});

/**
 * Stores those of the verdicts that are new, or in place of one that is open, and reports them in the log: one event for the
 * traces of an agent. A trace that was removed since it was judged has none.
 */
export async function saveVerdicts(work: Work, verdicts: readonly NewVerdict[]): Promise<VerdictRow[]> {
  const { tx, account_id, dialect } = work;
  if (verdicts.length === 0) return [];
  const keys = verdicts.map(keyOf);
  const seqs = [...new Set(keys.map(({ trace_seq }) => trace_seq))];
  const looking = { query: tx, dialect, account_id };
  const [traces, known, human] = await Promise.all([
    findTraces(tx, account_id, seqs),
    findKnown(looking, keys),
    findResultsOfPeople(looking, keys),
  ]);
  const factsOf = new Map(seqs.map((seq, i) => [seq, traces[i]]));
  const rows: VerdictRow[] = [];
  const replaced: VerdictKey[] = [];
  for (const verdict of verdicts) {
    const { trace, judge_id, judge_version, finding, model_call } = verdict;
    const key = keyOf(verdict);
    const facts = factsOf.get(trace.seq);
    const before = known(key);
    if (before && isOpen(before)) replaced.push(key);
    if (!facts || facts.trace_id !== trace.trace_id || (before && !isOpen(before))) continue;
    rows.push({
      account_id,
      trace_seq: trace.seq,
      judge_id,
      judge_version,
      trace_id: trace.trace_id,
      agent_id: facts.agent_id,
      branch: facts.branch,
      visible_to: facts.visible_to,
      result: human(key) ?? finding.result,
      judge_result: finding.result,
      score: finding.score,
      reason: finding.reason,
      evidence: evidenceOf(finding),
      is_partial: Number(trace.is_partial),
      cost_usd: model_call?.cost_usd ?? null,
      model_call: model_call && JSON.stringify(model_call),
      traced_at: facts.created_at,
      seq: 0,
      created_at: work.now,
    });
  }
  await countBytes(work, rows, replaced);
  if (replaced.length > 0) await deleteVerdicts(tx, account_id, replaced);
  for (const group of groupsOf(rows)) report(work, group);
  if (rows.length > 0) work.send(tx.insertMany(insertVerdicts, rows));
  return rows;
}

/** Refuses verdicts that the plan has no room for, before anything is changed. */
async function countBytes(work: Work, rows: readonly VerdictRow[], replaced: readonly VerdictKey[]): Promise<void> {
  const old = replaced.length === 0 ? [] : await findVerdicts(work.tx, work.account_id, replaced);
  const bytes = (of: readonly (VerdictRow | undefined)[]) =>
    of.reduce((sum, row) => sum + (row ? bytesOfTexts(textsOfVerdict(row)) : 0), 0);
  storeMore(work, bytes(rows) - bytes(old));
}

/**
 * The same for work in the background, which nobody can refuse: where the plan has no room for the verdicts none of them is
 * stored, and what is returned says why. The traces can be judged later, by a backfill.
 */
export async function saveWithinPlan(work: Work, verdicts: readonly NewVerdict[]): Promise<VerdictRow[] | Fault> {
  try {
    return await saveVerdicts(work, verdicts);
  } catch (error) {
    if (error instanceof Fault && error.code === 'over_limit') return error;
    throw error;
  }
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
