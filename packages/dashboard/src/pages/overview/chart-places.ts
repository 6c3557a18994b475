import { overview } from '../../texts/overview.ts';
import type { ChartPlace } from '../../ui/time-chart.tsx';
import { isRound, longLabel, type Range, shortLabel, type TimeSpan } from './ranges.ts';

const texts = overview.activity;

/** The names of the minutes, hours or days of a chart. */
export const placesOf = ({ starts, unit }: TimeSpan, range: Range): ChartPlace[] =>
  starts.map((start, i) => ({
    short: i === starts.length - 1 ? texts.now : shortLabel(start, range),
    long: longLabel(start, unit),
    isRound: isRound(start, range),
  }));

/** When there was most, in words. */
export function highestOf(values: readonly number[], { starts, unit }: TimeSpan): string {
  const most = Math.max(0, ...values);
  return most === 0 ? texts.nothing : texts.highest(most, longLabel(starts[values.indexOf(most)] ?? 0, unit));
}
