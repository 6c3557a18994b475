import type { TracesCounted } from './excess.ts';

type ReasonParts = {
  source_kind: 'judge' | 'behavior';
  window: TracesCounted;
  base: TracesCounted | undefined;
  chance: number | null;
};

/** What is said of the traces that count: a behavior need not be wrong. */
const WORDS = {
  judge: { now: 'failed', before: 'failed', none: 'fails' },
  behavior: { now: 'have it', before: 'had it', none: 'has it' },
} as const;

const percent = ({ samples, failures }: TracesCounted): string =>
  `${Number(((100 * failures) / samples).toFixed(1))} %`;
const share = (counted: TracesCounted): string => `${counted.failures} of ${counted.samples} traces`;

/** Two digits, as a share in words: 0.00042 is 1 in 2,400. */
function oneIn(chance: number): string {
  const times = Number((1 / Math.max(chance, 1e-9)).toPrecision(2));
  return chance < 1e-9 ? 'less than 1 in 1,000,000,000' : `1 in ${times.toLocaleString('en-US')}`;
}

export function reasonOf({ source_kind, window, base, chance }: ReasonParts): string {
  const words = WORDS[source_kind];
  if (window.failures === 0) return `None of the traces that it was opened by ${words.none} any more.`;
  const found = `${share(window)} ${words.now} (${percent(window)})`;
  if (!base || chance === null) return `${found}, with too few before to compare with.`;
  if (base.samples === 0) return `${found}; the traces before are gone.`;
  return `${found}, where ${share(base)} ${words.before} before (${percent(base)}): ${oneIn(chance)} by chance.`;
}
