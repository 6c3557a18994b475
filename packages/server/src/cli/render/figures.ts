import { JsonText, shortFigure } from '@mem-service/contract';
import { UNKNOWN } from './numbers.ts';
import { show, when } from './text.ts';

type Interval = { low: number; high: number };
export type ShareFigure = Interval & { rate: number | null };
type CountedShare = ShareFigure & ({ count: number; of: number } | { failures: number; samples: number });
type LiftFigure = Interval & { ratio: number };

const percent = (share: number): number => Math.round(share * 100);

/** As `75 % (30-95)`: the share, and between which it truly lies. */
export const shareText = ({ rate, low, high }: ShareFigure): string =>
  rate === null ? UNKNOWN : `${percent(rate)} % (${percent(low)}-${percent(high)})`;

/** As `3 of 4, 75 % (30-95)`. */
export function countedShare(share: CountedShare): string {
  const [count, of] = 'of' in share ? [share.count, share.of] : [share.failures, share.samples];
  return of === 0 ? '0 of 0' : `${count} of ${of}, ${shareText(share)}`;
}

/** As `18 times (6.5-50)`. */
export const liftText = ({ ratio, low, high }: LiftFigure): string =>
  `${short(ratio, 2)} times (${short(low, 2)}-${short(high, 2)})`;

const short = (n: number, digits: number): string => String(Number(n.toPrecision(digits)));

export const numberText = (n: number): string => String(shortFigure(n));

const has = (found: object, ...names: string[]): boolean => names.every((name) => name in found);

/** Shares, lifts and counts of values in words; undefined for what is none of them. */
export function figureText(found: unknown): string | undefined {
  if (typeof found === 'number') return numberText(found);
  if (typeof found !== 'object' || found === null || found instanceof JsonText) return undefined;
  if (Array.isArray(found)) return valueCounts(found);
  if (!has(found, 'low', 'high')) return undefined;
  if (has(found, 'rate') && (has(found, 'count', 'of') || has(found, 'failures', 'samples')))
    return countedShare(found as CountedShare);
  return has(found, 'ratio') ? liftText(found as LiftFigure) : undefined;
}

function valueCounts(list: readonly unknown[]): string | undefined {
  const counts = list as readonly { value: unknown; runs: number }[];
  if (list.length === 0 || !counts.every((one) => typeof one === 'object' && has(one, 'value', 'runs')))
    return undefined;
  return counts.map(({ value, runs }) => `${show(value ?? UNKNOWN)} ${runs}`).join(', ');
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A field of an answer on one line, its figures and times as people read them. */
export function readable(found: unknown): string {
  if (typeof found === 'string' && TIME.test(found)) return when(found);
  return figureText(found) ?? show(found);
}
