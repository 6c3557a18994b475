import { isTerminal, type Screen } from './text.ts';

/** Shown for unknown values. Never 0, which would be a number. */
export const UNKNOWN = '–';

export const rounded = (n: number | null): string => (n === null ? UNKNOWN : n.toFixed(2));

export const change = (before: number | null, after: number | null): string =>
  `${rounded(before)} -> ${rounded(after)}`;

export const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export function duration(ms: number): string {
  if (ms < 1) return '<1 ms';
  if (ms < 999.5) return `${ms.toFixed(0)} ms`;
  if (ms < 59_995) return `${(ms / 1000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1000);
  if (ms < HOUR - 500) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(ms / MINUTE);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const bytes = (count: number): string => sized(count, 1000, ['B', 'kB', 'MB', 'GB', 'TB']);

/** The units in which plans are given. */
export const binaryBytes = (count: number): string =>
  sized(count, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']).replace('.0 ', ' ');

function sized(count: number, step: number, units: readonly string[]): string {
  let scaled = count;
  let power = 0;
  for (; scaled >= step && power < units.length - 1; power++) scaled /= step;
  return `${power === 0 || scaled >= 100 ? scaled.toFixed(0) : scaled.toFixed(1)} ${units[power]}`;
}

/** In US dollars. A small cost is never shown as zero. */
export function cost(usd: number | null): string {
  if (usd === null) return UNKNOWN;
  return usd > 0 && usd < 0.005 ? '<$0.01' : `$${usd.toFixed(2)}`;
}

const BAR_LENGTH = 10;

export function bar(share: number, screen: Screen): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * BAR_LENGTH);
  const [on, off] = isTerminal(screen) ? ['█', '░'] : ['#', '.'];
  return on.repeat(full) + off.repeat(BAR_LENGTH - full);
}
