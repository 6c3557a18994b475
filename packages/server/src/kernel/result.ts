import { hash } from 'node:crypto';
import { stringify } from '@mem-service/contract';

/**
 * What a write did, for the audit trail. The hashes are those of the subject; null where it did not or does not exist.
 */
export type AuditedChange = {
  resource: string;
  before: string | null;
  after: string | null;
  /** Names in the answer, see `WriteResult`. */
  holds?: unknown;
};

/**
 * What a write handler returns: the answer, and what it changed, if anything. A stored answer is erased with the entries
 * and agents that it names. The kernel finds those that are members of the answer; `holds` has the others, in a document or
 * in a sentence of it.
 */
export type WriteResult<T> = { output: T; change: AuditedChange | null; holds?: unknown };

/** The result of a write that changed something: it gets one audit line. */
export const changed = <T>(output: T, change: AuditedChange): WriteResult<T> => ({
  output,
  change,
  holds: change.holds,
});

/**
 * The result of a write that changed nothing and gets no audit line: a retry, a dry run, a state that was already
 * reached.
 */
export const unchanged = <T>(output: T, holds?: unknown): WriteResult<T> => ({ output, change: null, holds });

/** For a subject without a hash of its own: the hash of the answer, without its secrets. */
export const hashedBy = (output: unknown): Pick<AuditedChange, 'before' | 'after'> => ({
  before: null,
  after: hash('sha256', stringify(output), 'hex'),
});

/** The resource of a change that concerns no single thing in the account. */
export const WHOLE_ACCOUNT = '';
