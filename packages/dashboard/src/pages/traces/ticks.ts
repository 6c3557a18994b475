import { duration } from '../../texts/format.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48, 168].map((n) => n * HOUR),
];
const MOST = 6;

export type AxisTick = { share: number; label: string };

/** Round times on an axis of this length: 0, 1 m, 2 m. */
export function ticksOf(ms: number): AxisTick[] {
  if (ms <= 0) return [{ share: 0, label: '0' }];
  const step = STEPS.find((one) => ms / one <= MOST) ?? ms / MOST;
  const count = Math.floor(ms / step);
  return Array.from({ length: count + 1 }, (_, i) => ({
    share: (i * step) / ms,
    label: i === 0 ? '0' : labelOf(i * step),
  }));
}

/** 2 m and not 2 m 0 s. */
const labelOf = (ms: number): string =>
  duration(ms)
    .replace(/ 0 [sm]$/, '')
    .replace('.0 s', ' s');
