import type { ChartStep } from './entry-data.ts';

/** What a step is drawn as: a square where something was written, else a triangle that points to where it went. */
export type StepShape = 'written' | 'up' | 'down' | 'level';

export function shapeOf({ kind, confidence_before, confidence_after }: ChartStep): StepShape {
  if (kind === 'written' || kind === 'restated') return 'written';
  if (confidence_before === null || confidence_before === confidence_after) return 'level';
  return confidence_after > confidence_before ? 'up' : 'down';
}

/** The axis is cut to the range in use; at least 0.2 of it is shown, and its ends have labels. */
export function rangeOf(steps: readonly ChartStep[]): { low: number; high: number; ticks: number[] } {
  const values = steps.map(({ confidence_after }) => confidence_after * 10);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = most - least > 5 ? 2 : 1;
  let low = Math.max(0, Math.floor((least - 0.2) / step) * step);
  const high = Math.min(10, Math.max(Math.ceil((most + 0.2) / step) * step, low + 2));
  low = Math.min(low, high - 2);
  const ticks: number[] = [];
  for (let tick = high; tick >= low; tick -= step) ticks.push(tick / 10);
  return { low: low / 10, high: high / 10, ticks };
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
