import { confusionOf, detectionOf, type LabelledResult } from '../../evaluation/rules/detection.ts';
import type { Rate } from '../../evaluation/rules/wilson.ts';

type FoundInTrace = { trace_seq: number; judge_id: string; judge_result: string };
export type JudgeAgreement = { judge_id: string; agreement: Rate; kappa: number | null };

const MAX_JUDGES = 50;

export const isDecided = (result: string): result is 'pass' | 'fail' => result === 'pass' || result === 'fail';

/** How far other judges agree with one, of the traces that both pass or fail: those with the most in common first. */
export function agreementsWith(own: readonly FoundInTrace[], others: readonly FoundInTrace[]): JudgeAgreement[] {
  const found = new Map(own.map(({ trace_seq, judge_result }) => [trace_seq, judge_result]));
  const pairs = new Map<string, LabelledResult[]>();
  for (const { trace_seq, judge_id, judge_result: label } of others) {
    const result = found.get(trace_seq);
    if (result === undefined || !isDecided(result) || !isDecided(label)) continue;
    const list = pairs.get(judge_id);
    if (list) list.push({ found: result, label });
    else pairs.set(judge_id, [{ found: result, label }]);
  }
  return [...pairs]
    .map(([judge_id, list]) => {
      const { agreement, kappa } = detectionOf(confusionOf(list));
      return { judge_id, agreement, kappa };
    })
    .sort((a, b) => b.agreement.of - a.agreement.of || (a.judge_id < b.judge_id ? -1 : 1))
    .slice(0, MAX_JUDGES);
}
