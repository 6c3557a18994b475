import { findSecrets } from '../../traces/rules/redact-find.ts';
import { secretFamily } from '../../traces/rules/redact-names.ts';
import { secretPatterns } from '../../traces/rules/redact-patterns.ts';
import { findHint, type MarkBudget } from './secret-hints.ts';

/** A longer value is checked up to here. */
const MAX_CHECKED_CHARS = 1024 * 1024;
/** What is scanned around a hint, and how often in one value. */
const CHARS_BEFORE = 300;
const CHARS_AFTER = 1200;
const MAX_PASSAGES = 16;
const MAX_NAMED_CHARS = 300;

/** What an operation may still look at: many large values in one call must not hold up other requests. */
export type ScanBudget = MarkBudget & { passages: number };

export const newScanBudget = (): ScanBudget => ({ passages: 64, marks: 100_000 });

/**
 * The kinds of secrets that a value seems to hold, of the first passage that has any. The detector of traces takes 0.07 µs a
 * character, far too much for every write; so a pass over the marks finds where a secret may be, and only that is scanned.
 */
export function secretsInEntry(key: string, value: string, budget: ScanBudget): string[] {
  const named = kindsIn(namedText(key, value));
  if (named.length > 0) return named;
  const text = value.length > MAX_CHECKED_CHARS ? value.slice(0, MAX_CHECKED_CHARS) : value;
  let from = 0;
  for (let passage = 0; passage < MAX_PASSAGES && budget.passages > 0; passage++) {
    const hint = findHint(text, from, budget);
    if (hint === undefined) return [];
    budget.passages--;
    const kinds = kindsIn(text.slice(Math.max(0, hint - CHARS_BEFORE), hint + CHARS_AFTER));
    if (kinds.length > 0) return kinds;
    // The next passage overlaps: a secret may lie across the end of this one.
    from = hint + CHARS_AFTER - CHARS_BEFORE;
  }
  return [];
}

/** A text under a key such as `db-password` is what a setting of that name would hold. */
function namedText(key: string, value: string): string {
  if (!value.startsWith('"') || value.length > MAX_NAMED_CHARS || secretFamily(key) === null) return '';
  const text = value.slice(1, -1);
  return /\s/.test(text) ? `${key}: ${text}` : `${key}=${text}`;
}

function kindsIn(text: string): string[] {
  if (text === '') return [];
  return [...new Set(findSecrets(text).map(({ rank }) => secretPatterns[rank]?.kind as string))];
}
