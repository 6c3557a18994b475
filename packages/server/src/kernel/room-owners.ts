import type { Clock } from './clock.ts';
import type { Services } from './module.ts';
import { OwnerStorage, type StoredTogether } from './owner-storage.ts';
import { listStored, readAccount } from './queries.ts';
import { isRoomAccount, type RoomHook } from './rooms.ts';
import type { Work } from './work.ts';

/** From this age on it is read again beside the writes, and from the next on before them. */
const REFRESH_MS = 2_000;
const STALE_MS = 5_000;
const MAX_OWNERS = 1_000;
const MAX_ROOMS = 10_000;

type OwnerParts = { database: Services['database']; clock: Clock };

/**
 * What bounds the storage of rooms: the plans of the accounts that own them, and what these store with all of their rooms. Read
 * once in a few seconds for each owner in whose rooms this server writes, before the transaction of a write: within it, it would
 * wait for a second connection.
 */
export class RoomOwners {
  readonly #parts: OwnerParts;
  readonly #owners = new Map<string, OwnerStorage>();
  /** By room. It never changes. */
  readonly #ownerIds = new Map<string, string>();
  #hook: RoomHook | undefined;

  constructor(parts: OwnerParts) {
    this.#parts = parts;
  }

  start(hook: RoomHook | undefined): void {
    this.#hook = hook;
  }

  /** The owner of a room; undefined where the account is none, or is only being made. A promise where the store is read first. */
  ownerOf(accountId: string): OwnerStorage | undefined | Promise<OwnerStorage | undefined> {
    if (!this.#hook || !isRoomAccount(accountId)) return undefined;
    const ownerId = this.#ownerIds.get(accountId);
    const owner = ownerId === undefined ? undefined : this.#owners.get(ownerId);
    if (!owner) return this.#find(accountId);
    const age = this.#ageOf(owner);
    if (age < REFRESH_MS) return owner;
    const reading = this.#read(owner);
    if (age >= STALE_MS) return reading.then(() => owner);
    // Where the store is out of reach, a later write says so.
    reading.catch(() => {});
    return owner;
  }

  #ageOf({ readAt }: OwnerStorage): number {
    return readAt === undefined ? STALE_MS : Math.abs(this.#parts.clock.now() - readAt);
  }

  committed(work: Work): void {
    (work.owner ?? this.#owners.get(work.account_id))?.committed(work);
  }

  /** The plan of the account that owns a room. */
  async planOf(roomAccount: string): Promise<string | null> {
    return (await this.ownerOf(roomAccount))?.plan ?? null;
  }

  /** What an account stores with all rooms that it owns; what other servers write there, after a few seconds. */
  async storedBy(ownerId: string): Promise<StoredTogether> {
    const owner = this.#owners.get(ownerId) ?? new OwnerStorage(ownerId);
    if (this.#ageOf(owner) >= REFRESH_MS) await this.#read(owner);
    return owner.stored;
  }

  /** Called after a change of its plan on this server. */
  dropAccount(accountId: string): void {
    this.#owners.get(accountId)?.outdate();
  }

  async #find(roomAccount: string): Promise<OwnerStorage | undefined> {
    const ownerId = this.#ownerIds.get(roomAccount) ?? (await this.#hook?.ownerOf(roomAccount, this.#parts.database));
    if (ownerId === undefined) return undefined;
    setNewest(this.#ownerIds, { key: roomAccount, value: ownerId, most: MAX_ROOMS });
    const owner = this.#owners.get(ownerId) ?? new OwnerStorage(ownerId);
    setNewest(this.#owners, { key: ownerId, value: owner, most: MAX_OWNERS });
    if (owner.readAt === undefined) await this.#read(owner);
    return owner;
  }

  /** Reads that are asked for at the same time are one. */
  #read(owner: OwnerStorage): Promise<void> {
    if (owner.reading !== undefined) return owner.reading;
    const reading = this.#readStored(owner).finally(() => {
      if (owner.reading === reading) owner.reading = undefined;
    });
    owner.reading = reading;
    return reading;
  }

  async #readStored(owner: OwnerStorage): Promise<void> {
    const { database, clock } = this.#parts;
    const { account_id } = owner;
    if (this.#owners.get(account_id) === owner)
      setNewest(this.#owners, { key: account_id, value: owner, most: MAX_OWNERS });
    const begun = owner.beginRead();
    const now = clock.now();
    const row = await readAccount(database.forAccount(account_id).read, account_id);
    const plan = row?.plan ?? null;
    const rooms = (await this.#hook?.listOwned(account_id, database)) ?? [];
    const parts = rooms.length > 0 ? await listStored(database.scan, database.dialect, rooms) : [];
    owner.take({ plan, parts: row ? [row, ...parts] : parts }, begun, now);
  }
}

type NewestEntry<V> = { key: string; value: V; most: number };

/** Keeps those that were used last. */
function setNewest<V>(map: Map<string, V>, { key, value, most }: NewestEntry<V>): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as string);
}
