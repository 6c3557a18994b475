import { canonicalJson } from '@mem-service/contract';

/** The newest version of an entry; a deleted one has no value. */
export type ImportHead = { version: number; written_at: number; value: string | undefined };

/** `isKnown`: a version with this value and this time exists. */
type ImportCandidate = { value: string; written_at: number | undefined; isKnown: boolean };

export type ImportDecision = { status: 'written'; written_at: number } | { status: 'unchanged' | 'skipped' | 'older' };

/** Decides whether an imported version is written. Versions of an entry stay in the order of their times. */
export function decideImport(
  head: ImportHead | undefined,
  { value, written_at, isKnown }: ImportCandidate,
  { onConflict, now }: { onConflict: 'version' | 'skip'; now: number },
): ImportDecision {
  const at = written_at ?? now;
  if (!head) return { status: 'written', written_at: at };
  if (head.value !== undefined && canonicalJson(head.value) === canonicalJson(value)) return { status: 'unchanged' };
  if (isKnown) return { status: 'unchanged' };
  if (at < head.written_at) return { status: 'older' };
  return onConflict === 'skip' ? { status: 'skipped' } : { status: 'written', written_at: at };
}
