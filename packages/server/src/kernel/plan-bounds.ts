import { Fault } from '@mem-service/contract';
import type { AccountRow } from './queries.ts';
import type { Settings } from './settings.ts';
import type { Work } from './work.ts';

/** What a plan allows besides ops. Null is no limit. */
export type PlanBounds = {
  /** Requests a minute: of one key, and of all keys of the account together. */
  key_rate_rpm: number | null;
  rate_rpm: number | null;
  storage_bytes: number | null;
  storage_entries: number | null;
  /** At the same time. Streams are counted by each server. */
  open_sessions: number | null;
  open_streams: number | null;
};

export const UNBOUNDED: PlanBounds = {
  key_rate_rpm: null,
  rate_rpm: null,
  storage_bytes: null,
  storage_entries: null,
  open_sessions: null,
  open_streams: null,
};

/** The counters of an account that its plan bounds, or that bound what readers leave behind. */
export type StoredAmounts = Pick<AccountRow, 'storage_bytes' | 'storage_entries' | 'open_sessions' | 'reader_notes'>;

export const NOTHING_STORED: StoredAmounts = {
  storage_bytes: 0,
  storage_entries: 0,
  open_sessions: 0,
  reader_notes: 0,
};

/** Only the amounts of a larger object. */
export const storedIn = ({
  storage_bytes,
  storage_entries,
  open_sessions,
  reader_notes,
}: StoredAmounts): StoredAmounts => ({
  storage_bytes,
  storage_entries,
  open_sessions,
  reader_notes,
});

export const isSameAmount = (a: StoredAmounts, b: StoredAmounts): boolean =>
  a.storage_bytes === b.storage_bytes &&
  a.storage_entries === b.storage_entries &&
  a.open_sessions === b.open_sessions &&
  a.reader_notes === b.reader_notes;

/** Links to change the plan, as far as the operator has set them. */
export function planLinks({ upgrade_url, plan_comparison_url }: Settings): Record<string, string> {
  return {
    ...(upgrade_url === null ? {} : { upgrade_url }),
    ...(plan_comparison_url === null ? {} : { plan_comparison_url }),
  };
}

/** A room has the bounds of the account that owns it. */
export const boundsOfAccount = ({ services, account, owner }: Work): PlanBounds =>
  services.boundsOf?.((owner ?? account).plan) ?? UNBOUNDED;

/** Adds to the counters of the account, with the transaction. */
export function addStored({ account }: Work, added: Partial<StoredAmounts>): void {
  for (const [name, n] of Object.entries(added)) account[name as keyof StoredAmounts] += n ?? 0;
}

const bytesOf = (text: string): number => Buffer.byteLength(text);
export const bytesOfTexts = (texts: readonly (string | null)[]): number =>
  texts.reduce((sum, text) => sum + (text === null ? 0 : bytesOf(text)), 0);

/**
 * Refuses what the plan has no room for, and any write where more is stored already. Deleting is never refused. In a room
 * everything counts that its owner stores.
 */
export function requireRoom(work: Work, { bytes, entries }: { bytes: number; entries?: number }): void {
  const { storage_bytes, storage_entries } = boundsOfAccount(work);
  if (storage_bytes === null && storage_entries === null) return;
  const used = work.owner?.stored ?? work.account;
  if (storage_bytes !== null && used.storage_bytes + bytes > storage_bytes)
    throw overLimit(work, { limit: 'storage_bytes', allowed: storage_bytes, used: used.storage_bytes });
  if (storage_entries !== null && entries !== undefined && used.storage_entries + entries > storage_entries)
    throw overLimit(work, { limit: 'storage_entries', allowed: storage_entries, used: used.storage_entries });
}

/** Counts bytes that a write adds, for which there must be room, or those that it leaves out. */
export function storeMore(work: Work, bytes: number): void {
  if (bytes > 0) requireRoom(work, { bytes });
  addStored(work, { storage_bytes: bytes });
}

type StorageLimit = 'storage_bytes' | 'storage_entries';
type PassedLimit = { limit: StorageLimit; allowed: number; used: number };

const WHAT: Record<StorageLimit, { what: string; todo: string }> = {
  storage_bytes: { what: 'bytes of storage', todo: 'erase what is no longer needed (mem erase, entries.erase)' },
  storage_entries: { what: 'entries', todo: 'delete some' },
};

/** How much an account stores is no business of the other members of its rooms. */
function overLimit({ services, owner }: Work, { limit, allowed, used }: PassedLimit): Fault {
  const { what, todo } = WHAT[limit];
  if (owner)
    return new Fault('over_limit', `the plan of the account that owns the room has no more ${what} for its rooms`, {
      limit,
    });
  const message = `the plan has ${allowed} ${what}; ${todo}, or choose a larger plan (${used} are used)`;
  return new Fault('over_limit', message, { limit, allowed, used, ...planLinks(services.settings) });
}

/** Refuses a key that may make more requests than the plan allows a key. */
export function requireKeyRate(work: Work, rate_limit_rpm: number): void {
  const { key_rate_rpm: allowed } = boundsOfAccount(work);
  if (work.services.limiter === undefined || allowed === null || rate_limit_rpm <= allowed) return;
  throw new Fault('over_limit', `a key of this plan may make at most ${allowed} requests a minute`, {
    ...{ limit: 'key_rate_rpm', allowed },
    ...planLinks(work.services.settings),
  });
}

const RETRY_S = 5;

export function tooManyOpen(limit: 'open_sessions' | 'open_streams', allowed: number): Fault {
  const what =
    limit === 'open_sessions'
      ? `${allowed} open sessions: commit an outcome to end one`
      : `${allowed} open streams on one server: close one`;
  return new Fault('too_many_open', `the plan allows ${what}`, { limit, allowed, retry_after: RETRY_S });
}
