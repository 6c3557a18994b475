import type { LedgerOfVersion, SuspectMemory } from '../../attribution/index.ts';
import { type Rate, wilson } from '../../evaluation/rules/wilson.ts';

/** How often runs failed that read a version, and others. */
export type RunsOfVersion = Pick<SuspectMemory, 'with_it' | 'without_it' | 'lift' | 'p'>;

export const percent = (rate: number): string => `${Number((100 * rate).toFixed(1))} %`;
export const share = ({ count, of, rate }: Pick<Rate, 'count' | 'of' | 'rate'>): string =>
  rate === null ? `${count} of ${of}` : `${count} of ${of} (${percent(rate)})`;

const digits = (ratio: number): string => String(Number(ratio.toPrecision(2)));

/** What runs did that a fix is about. */
export type RunWord = 'failed' | 'had it';

/** Runs have a behavior, or else they fail. */
export const wordFor = ({ behavior_id }: { behavior_id: string | null }): RunWord =>
  behavior_id === null ? 'failed' : 'had it';

type SuspectRuns = RunsOfVersion & { beside: number; what: RunWord };

export function whyByRuns({ with_it, without_it, lift, beside, what }: SuspectRuns): string {
  const times = `${digits(lift.ratio)} times as often, ${digits(lift.low)} to ${digits(lift.high)} with 95 % confidence`;
  const rates = `Of the runs that read it ${share(with_it)} ${what}, of others ${share(without_it)}: ${times}.`;
  if (beside === 0) return rates;
  const others = beside === 1 ? 'another version' : `${beside} other versions`;
  return `${rates} The very same runs read ${others}; this one was written last.`;
}

export const outcomesOf = ({ successes, failures }: LedgerOfVersion): string =>
  successes + failures === 0
    ? 'no outcome rested on it'
    : `${successes} good and ${failures} bad ${successes + failures === 1 ? 'outcome' : 'outcomes'} rested on it`;

/** Whether outcomes that rested on a version speak against it. */
export const speakAgainst = ({ successes, failures }: LedgerOfVersion): boolean => failures > successes;

/** Whether they speak for it: nothing but the word of the caller corrects it then. */
export const speakFor = ({ successes, failures }: LedgerOfVersion): boolean => successes > failures;

/** Whether they are enough to blame it, where nothing else does: with 95 % confidence, most of those to come are bad too. */
export const areEnough = ({ successes, failures }: LedgerOfVersion): boolean =>
  wilson(failures, successes + failures).low > 0.5;

type ChosenVersion = { version: number; ledger: LedgerOfVersion };

/** What is done about a version, and why just that. */
export function whyCorrected(action: 'restore' | 'replace' | 'delete', chosen: ChosenVersion | undefined): string {
  if (action === 'replace') return 'The value was given.';
  if (!chosen) return 'There is no earlier version that outcomes do not speak against: it is deleted.';
  const { version, ledger } = chosen;
  return `Version ${version} is the last one before it that outcomes do not speak against: ${outcomesOf(ledger)}.`;
}

type CurrentEntry = { version: number; deleted: number };

/** That an entry has not the blamed version any more, ahead of why it was blamed; empty where it still has. */
export function sinceProposed({ version }: { version: number }, current: CurrentEntry): string {
  if (current.version === version) return '';
  if (current.deleted !== 0) return 'It is deleted on main now. ';
  return `Main has version ${current.version} now. `;
}
