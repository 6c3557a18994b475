import type { Output } from '@mem-service/contract';
import { entryLabel } from './entry.ts';
import { change, counted, rounded } from './numbers.ts';
import { brief, type Colour, paint, type Screen, show } from './text.ts';
import { branch, type TreeNode } from './tree.ts';

export type ExplanationAnswer = Output<'sessions.explain'>;
type CausalEntryAnswer = ExplanationAnswer['causal_entries'][number];
type StaleReadAnswer = ExplanationAnswer['stale_reads'][number];
type SessionReadsAnswer = Pick<ExplanationAnswer, 'causal_entries' | 'stale_reads' | 'attempts'>;

export const VALUE_LENGTH = 80;

/** Joins the parts of a line with two spaces; empty parts are left out. */
export const line = (...parts: string[]): string => parts.filter((part) => part !== '').join('  ');

/** The entries that a session read, grouped by attempt. */
export function readNodes({ causal_entries, stale_reads, attempts }: SessionReadsAnswer, screen: Screen): TreeNode[] {
  const entries = causal_entries.map((reading) => ({
    attempt: reading.attempt,
    text: readingText(reading, { stale: stale_reads.find((stale) => isOf(stale, reading)), screen }),
  }));
  const title = `read ${counted(entries.length, 'entry', 'entries')}`;
  const tries = [...new Set(entries.map(({ attempt }) => attempt))];
  if (tries.length < 2 && attempts.length === 0) return branch(title, entries);
  // Reads count attempts from 0, while attempts are numbered 1, 2 and so on when they are closed.
  const groups = tries.map((attempt) => {
    const failed = attempts.some((closed) => closed.attempt === attempt + 1);
    const below = entries.filter((entry) => entry.attempt === attempt);
    return branch(`in attempt ${attempt + 1}${failed ? ', which failed' : ''}`, below);
  });
  return branch(title, groups.flat());
}

const isOf = (stale: StaleReadAnswer, { entity_path, key, branch, version }: CausalEntryAnswer): boolean =>
  stale.entity_path === entity_path && stale.key === key && stale.branch === branch && stale.read_version === version;

const STATUS_COLOURS: Record<string, Colour> = { validated: 'green', contested: 'yellow', discredited: 'red' };

export const statusText = (status: string, screen: Screen): string =>
  paint(screen, STATUS_COLOURS[status] ?? 'dim', status);

function readingText(
  reading: CausalEntryAnswer,
  { stale, screen }: { stale: StaleReadAnswer | undefined; screen: Screen },
): string {
  const { version, confidence, evidence_status, success_count, failure_count, written_by, value } = reading;
  const tested = success_count + failure_count > 0 ? ` (${success_count} for, ${failure_count} against)` : '';
  return line(
    `${entryLabel(reading, screen)} v${version}`,
    `${rounded(confidence)} ${statusText(evidence_status, screen)}${tested}`,
    `by ${show(written_by)}`,
    stale ? paint(screen, 'yellow', staleText(stale)) : '',
    value === undefined ? paint(screen, 'dim', '(its value is gone)') : brief(value, VALUE_LENGTH),
  );
}

/** What has changed in an entry since it was read. */
export function staleText({ current_version, changed_by, value_changed }: StaleReadAnswer): string {
  const by = changed_by === null ? '' : ` by ${show(changed_by)}`;
  if (current_version === null) return `STALE: gone since${by}`;
  return `STALE: v${current_version}${by} says ${value_changed ? 'something else' : 'the same'}`;
}

/** Why a confidence moved, as the service explains it, without the numbers, which have their own column. */
export function plainWhy(why: string, before: number | null, after: number | null): string {
  const end = `: ${rounded(after)}`;
  const text = show(why).replace(`: ${change(before, after)}`, '');
  return text.endsWith(end) ? text.slice(0, -end.length) : text;
}
