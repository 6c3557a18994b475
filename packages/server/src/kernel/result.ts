import { hash } from 'node:crypto';
import { stringify } from '@mem-service/contract';

/** What a write did, for the audit trail. A hash is that of the subject; null where there was, or is, nothing. */
export type AuditedChange = {
  resource: string;
  before: string | null;
  after: string | null;
  /** The one path that the answer speaks of, see `WriteResult`. */
  entity_path?: string;
};

/**
 * What a write handler gives back: the answer, and what it changed, if anything. The kernel reads no member of the answer.
 * An answer that is kept for retries is erased with `entity_path`; where that is null, with any erasure of the account.
 */
export type WriteResult<T> = { output: T; change: AuditedChange | null; entity_path: string | null };

/** A change is one line in the audit trail. */
export const changed = <T>(output: T, change: AuditedChange): WriteResult<T> => ({
  output,
  change,
  entity_path: change.entity_path ?? null,
});

/** Nothing was changed, and nothing is audited: a retry, a dry run, a state that was asked for and was there already. */
export const unchanged = <T>(output: T, about?: { entity_path: string }): WriteResult<T> => ({
  output,
  change: null,
  entity_path: about?.entity_path ?? null,
});

/** For a subject that has no hash of its own: that of the answer, without what is secret in it. */
export const hashedBy = (output: unknown): Pick<AuditedChange, 'before' | 'after'> => ({
  before: null,
  after: hash('sha256', stringify(output), 'hex'),
});

/** The resource of what is about no single thing in the account. */
export const WHOLE_ACCOUNT = '';
