import { confidence as confidenceText } from '../../texts/format.ts';
import type { ChartStep } from './entry-data.ts';

/** What a step is drawn as: a square where something was written, else a triangle that points to where it went. */
export type StepShape = 'written' | 'up' | 'down' | 'level';

export function shapeOf({ kind, confidence_before, confidence_after }: ChartStep): StepShape {
  if (kind === 'written' || kind === 'restated') return 'written';
  // What rounds to the same number went nowhere.
  if (confidence_before === null || confidenceText(confidence_before) === confidenceText(confidence_after))
    return 'level';
  return confidence_after > confidence_before ? 'up' : 'down';
}

/** Labels of the axis, which is that of every confidence: a fall looks as deep as it is. */
export const TICKS = [1, 0.8, 0.6, 0.4, 0.2, 0];

const movedBy = ({ confidence_before, confidence_after }: ChartStep): number =>
  Math.abs(confidence_after - (confidence_before ?? confidence_after));

/** The steps that get a mark, so that each has room: what moved most first, then what was written, then the newest. */
export function markedSteps(steps: readonly ChartStep[], leastApart: number): number[] {
  const all = steps.map((_, i) => i);
  if (leastApart <= 1) return all;
  const weights = steps.map((step) => Math.max(movedBy(step), step.kind === 'written' ? 0.05 : 0));
  const marked: number[] = [];
  for (const i of all.toSorted((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || b - a))
    if (marked.every((other) => Math.abs(other - i) >= leastApart)) marked.push(i);
  return marked.sort((a, b) => a - b);
}

/** Words of the service at the beginning of a paragraph. */
export const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** How much the confidence moved since the start of the day; undefined where it did not. */
export function movedToday(steps: readonly ChartStep[], now: number): number | undefined {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const today = steps.filter(({ at }) => Date.parse(at) >= midnight);
  const before = today[0]?.confidence_before;
  const after = today.at(-1)?.confidence_after;
  if (before === null || before === undefined || after === undefined) return undefined;
  return Math.abs(after - before) < 0.005 ? undefined : after - before;
}

type MovedBy = { why: string; confidence_before: number | null; confidence_after: number | null };

/** The words of the service; the numbers among them stand beside them. */
export function reasonOf({ why, confidence_before, confidence_after }: MovedBy): string {
  if (confidence_before === null || confidence_after === null) return why;
  return why.replace(`: ${confidence_before.toFixed(2)} -> ${confidence_after.toFixed(2)}`, '');
}
