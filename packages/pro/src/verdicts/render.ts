import { type Output, type Query, type ReadContext, readScope, toIso } from '@mem-service/server/module';
import { namesOf } from '../evaluation/shown-memory.ts';
import { findHumanVerdicts, type HumanVerdictRow, type VerdictRow } from './queries.ts';
import { type VerdictEvidence, versionsIn } from './save.ts';

export type Verdict = Output<'verdicts.read'>;
type VerdictReader = Pick<ReadContext, 'caller' | 'services'> & { read: Query };

export const verdictIdOf = ({ trace_id, judge_id, judge_version }: VerdictRow): string =>
  `${trace_id}.${judge_id}.${judge_version}`;

export const toHuman = ({ result, reason, agent_id, created_at }: HumanVerdictRow): NonNullable<Verdict['human']> => ({
  result: result as 'pass' | 'fail',
  reason,
  agent_id,
  created_at: toIso(created_at),
});

/** Verdicts with the names of what they rest on, as far as the reader may know these. */
export async function toVerdicts(reader: VerdictReader, rows: readonly VerdictRow[]): Promise<Verdict[]> {
  const { read, caller } = reader;
  const [human, memory] = await Promise.all([
    findHumanVerdicts(read, caller.account_id, rows),
    namesOf(reader, rows.map(versionsIn)),
  ]);
  const verdicts = rows.map((row, i) => toVerdict(row, { human: human[i], memory: memory[i] ?? [] }));
  return readScope(caller) === undefined ? verdicts : verdicts.map(withoutReasons);
}

/** Reasons name what a judge looks for and what a run read, which may be out of the scope of a key. */
const withoutReasons = (verdict: Verdict): Verdict => ({
  ...verdict,
  reason: '',
  human: verdict.human && { ...verdict.human, reason: '' },
});

/** Calls of earlier releases have no name of their own, and no time. */
function callIn(row: VerdictRow): Verdict['model_call'] {
  if (row.model_call === null) return null;
  const { model, ...call } = JSON.parse(row.model_call) as NonNullable<Verdict['model_call']>;
  const unnamed = { call_id: verdictIdOf(row), provider: '', model, started_at: toIso(row.created_at), error: null };
  return { ...unnamed, ...call };
}

type Beside = { human: HumanVerdictRow | undefined; memory: Verdict['memory'] };

const toVerdict = (row: VerdictRow, { human, memory }: Beside): Verdict => ({
  verdict_id: verdictIdOf(row),
  trace_id: row.trace_id,
  judge_id: row.judge_id,
  judge_version: row.judge_version,
  agent_id: row.agent_id,
  result: row.result as Verdict['result'],
  score: row.score,
  reason: row.reason,
  span_ids: [...(JSON.parse(row.evidence) as VerdictEvidence).spans],
  memory,
  judge_result: row.judge_result as Verdict['judge_result'],
  human: human ? toHuman(human) : null,
  partial: row.is_partial === 1,
  cost_usd: row.cost_usd,
  model_call: callIn(row),
  traced_at: toIso(row.traced_at),
  created_at: toIso(row.created_at),
});
