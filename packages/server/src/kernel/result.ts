import { hash } from 'node:crypto';
import { stringify } from '@mem-service/contract';

/**
 * What a write did, for the audit trail. The hashes are those of the subject; null where it did not or does not exist.
 */
export type AuditedChange = {
  resource: string;
  before: string | null;
  after: string | null;
  /** The one path that the answer is about, see `WriteResult`. */
  entity_path?: string;
};

/**
 * What a write handler returns: the answer, and what it changed, if anything. The kernel reads no member of the answer.
 * A stored answer is erased with `entity_path`; where that is null, with any erasure of the account.
 */
export type WriteResult<T> = { output: T; change: AuditedChange | null; entity_path: string | null };

/** The result of a write that changed something: it gets one audit line. */
export const changed = <T>(output: T, change: AuditedChange): WriteResult<T> => ({
  output,
  change,
  entity_path: change.entity_path ?? null,
});

/**
 * The result of a write that changed nothing and gets no audit line: a retry, a dry run, a state that was already
 * reached.
 */
export const unchanged = <T>(output: T, about?: { entity_path: string }): WriteResult<T> => ({
  output,
  change: null,
  entity_path: about?.entity_path ?? null,
});

/** For a subject without a hash of its own: the hash of the answer, without its secrets. */
export const hashedBy = (output: unknown): Pick<AuditedChange, 'before' | 'after'> => ({
  before: null,
  after: hash('sha256', stringify(output), 'hex'),
});

/** The resource of a change that concerns no single thing in the account. */
export const WHOLE_ACCOUNT = '';
