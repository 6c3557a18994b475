import { type JudgeFinding, MAX_EVIDENCE } from './finding.ts';
import { objectIn } from './json-answer.ts';
import type { JudgedTrace } from './judged-trace.ts';

type TakenVerdict = { taken: JudgeFinding } | { problem: string };

const MAX_MODEL_REASON = 1_000;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * What a model found in a trace. It passes only where the model says so and gives a score that is high enough; whatever is not
 * as it was asked for is no verdict.
 */
export function readModelVerdict(text: string, trace: JudgedTrace, passAt: number): TakenVerdict {
  const answer = objectIn(text, (members) => 'result' in members && 'reason' in members);
  if (!answer) return { problem: 'it is no JSON object' };
  const { result, score, reason } = answer;
  if (result !== 'pass' && result !== 'fail' && result !== 'skipped')
    return { problem: '`result` is neither pass, fail nor skipped' };
  if (typeof reason !== 'string' || reason.trim() === '') return { problem: 'it has no `reason`' };
  const isScore = typeof score === 'number' && score >= 0 && score <= 1;
  if (!isScore && result !== 'skipped') return { problem: '`score` is not between 0 and 1' };
  const known = new Set(trace.spans.map(({ span_id }) => span_id));
  const spans = listOf(answer.span_ids).filter((id): id is string => typeof id === 'string' && known.has(id));
  const reads = [...new Set(listOf(answer.memory))].flatMap((no) =>
    typeof no === 'number' ? (trace.reads[no] ?? []) : [],
  );
  const isLow = isScore && score < passAt;
  return {
    taken: {
      result: result === 'pass' && isLow ? 'fail' : result,
      score: isScore && result !== 'skipped' ? score : null,
      reason: reason.trim().slice(0, MAX_MODEL_REASON).toWellFormed(),
      span_ids: [...new Set(spans)].slice(0, MAX_EVIDENCE),
      entries: reads.slice(0, MAX_EVIDENCE).map(({ entry_id, version }) => ({ entry_id, version })),
    },
  };
}
