import type { Query } from '../../db/index.ts';
import { hasOnlySince, isSamePosition, type LogPosition } from '../../kernel/index.ts';

/** Entries of an account, by `seq`, that no outcome had tested at a position of its log. */
type KnownUntested = { at: LogPosition; seqs: Set<number> };

const MAX_ACCOUNTS = 64;
const MAX_ENTRIES = 50_000;

/** Events that test no entry: what a write adds has a `seq` of its own. */
const UNTESTING = ['write', 'delete', 'expire', 'commit', 'cross_agent_read'];
/** After more events than this, evidence is looked up again. */
const MAX_SINCE = 1000;

/**
 * Remembers which matches have no evidence, which most entries never get: looking it up takes as long as a search by words.
 * What is remembered holds until the log has an event that may test an entry, by whatever process.
 */
export class UntestedEntries {
  readonly #accounts = new Map<string, KnownUntested>();

  /** Those known to be untested where the log of an account ends; what is added to the set must not be older than that. */
  async of(query: Query, accountId: string, end: LogPosition): Promise<Set<number>> {
    const known = this.#accounts.get(accountId);
    this.#accounts.delete(accountId);
    const isValid = known !== undefined && (await isStillValid(query, accountId, { known, end }));
    const seqs = isValid && known.seqs.size < MAX_ENTRIES ? known.seqs : new Set<number>();
    this.#accounts.set(accountId, { at: end, seqs });
    if (this.#accounts.size > MAX_ACCOUNTS) this.#accounts.delete(this.#accounts.keys().next().value as string);
    return seqs;
  }
}

async function isStillValid(
  query: Query,
  accountId: string,
  { known: { at }, end }: { known: KnownUntested; end: LogPosition },
): Promise<boolean> {
  if (isSamePosition(at, end)) return true;
  if (at.seq === 0 || end.seq <= at.seq || end.seq - at.seq > MAX_SINCE) return false;
  return hasOnlySince(query, accountId, { from: at, to: end.seq, types: UNTESTING });
}
