import type { alertShapes } from '@mem-service/server/module';
import { allowedUsd, allowedWords, mostWords, twoDurations } from '../../evaluation/rules/figure-words.ts';

/** What a metric is over some time; null where there is nothing to measure. */
export type MeasuredMetric = {
  value: number | null;
  samples: number;
  /** False where there is more than was looked at. */
  complete: boolean;
};

type MeasuredRule = MeasuredMetric & {
  metric: alertShapes.AlertMetric;
  judge_id: string | null;
  above: number;
};

const number = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en-US');
const percent = (value: number): string => `${number(100 * value)} %`;
const count = (n: number, what: string): string => `${n.toLocaleString('en-US')} ${n === 1 ? what : `${what}s`}`;

const WORDS: Record<alertShapes.AlertMetric, (parts: MeasuredRule & { value: number }) => string> = {
  failure_rate: ({ value, samples, judge_id, above }) =>
    `Judge ${judge_id} failed ${percent(value)} of ${count(samples, 'trace')}; at most ${percent(above)} is allowed.`,
  incidents: ({ value, above }) => `${count(value, 'incident')} opened; ${allowedWords(above)}.`,
  cost_usd: ({ value, samples, above }) =>
    `${count(samples, 'trace')} cost ${number(value)} USD; ${allowedUsd(number(above))}.`,
  duration_ms: ({ value, samples, above }) => {
    const [took, most] = twoDurations(value, above);
    return `1 in 20 of ${count(samples, 'trace')} took ${took} or longer; ${mostWords(most)}.`;
  },
  calibration_error: ({ value, samples, above }) =>
    `Confidence was off by ${number(value)} on average in ${count(samples, 'use')} of an entry; at most ${number(above)} is allowed.`,
};

/** What was measured, in words, and what keeps a rule quiet that it would break. */
export function reasonOf(parts: MeasuredRule & { min_samples?: number }): string {
  const { value, complete, samples, min_samples = 0, above } = parts;
  if (value === null) return 'Nothing to measure in this time.';
  const words = [WORDS[parts.metric]({ ...parts, value })];
  if (!complete) words.push('There is more in this time than is looked at.');
  if (value > above && samples < min_samples) words.push(`No alert before ${number(min_samples)} of them.`);
  return words.join(' ');
}

/** The value that 95 of 100 stay below, of values in ascending order. */
export const percentile95 = (ascending: readonly number[]): number | null =>
  ascending.length === 0 ? null : (ascending[Math.ceil(0.95 * ascending.length) - 1] as number);
