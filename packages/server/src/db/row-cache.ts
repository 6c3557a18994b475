import type { Find, Row, SqlValue } from './sql.ts';

/** A look-up of whole rows that may be kept in memory; `number` is another unique column that writes name a row by. */
export type CachedFind = Find & { number: string };

/** In bytes: of all rows, of those of one account, and of one row. */
export type CacheLimits = { total: number; account: number; row: number };

const MIB = 1024 * 1024;
export const CACHE_LIMITS: CacheLimits = { total: 64 * MIB, account: 32 * MIB, row: 128 * 1024 };

/** What a row takes besides its texts: its members, its names, and its places in two maps. */
const ROW_BYTES = 700;

type CachedRow = { row: Row; bytes: number };

/** The rows that were used since a moment. Dropped as a whole, so that no row has to move when it is used. */
class Generation {
  readonly byName = new Map<string, CachedRow>();
  readonly names = new Map<SqlValue, string>();
  bytes = 0;

  remove(name: string, number: string): CachedRow | undefined {
    const cached = this.byName.get(name);
    if (!cached) return undefined;
    this.byName.delete(name);
    this.names.delete(cached.row[number] as SqlValue);
    this.bytes -= cached.bytes;
    return cached;
  }
}

type AccountRows = { recent: Generation; earlier: Generation };

/**
 * Rows by their key, bounded in bytes per account and in all. Each account has two generations: what is used moves to the
 * recent one, and what is in neither was not used for long. It knows nothing of time or transactions.
 */
export class RowCache {
  readonly #find: CachedFind;
  readonly #columns: readonly string[];
  readonly #limits: CacheLimits;
  readonly #accounts = new Map<SqlValue, AccountRows>();
  #bytes = 0;

  constructor(find: CachedFind, limits: CacheLimits) {
    this.#find = find;
    this.#columns = Object.keys(find.by);
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(account: SqlValue, name: string): boolean {
    const rows = this.#accounts.get(account);
    return rows !== undefined && (rows.recent.byName.has(name) || rows.earlier.byName.has(name));
  }

  /** The first part of a key is the account. */
  get(key: readonly SqlValue[], name = nameOf(key)): Row | undefined {
    const rows = this.#accounts.get(key[0] as SqlValue);
    if (!rows) return undefined;
    const used = rows.recent.byName.get(name);
    if (used) return used.row;
    const cached = rows.earlier.remove(name, this.#find.number);
    if (!cached) return undefined;
    this.#bytes -= cached.bytes;
    this.#keep(key[0] as SqlValue, name, cached);
    return cached.row;
  }

  /** Keeps a row, unless it is so large that reading it again costs little beside answering with it. */
  put(key: readonly SqlValue[], row: Row): void {
    this.#dropName(key);
    const bytes = bytesOf(row) + ROW_BYTES;
    if (bytes <= this.#limits.row) this.#keep(key[0] as SqlValue, nameOf(key), { row, bytes });
  }

  #keep(account: SqlValue, name: string, cached: CachedRow): void {
    let rows = this.#accounts.get(account);
    if (!rows || rows.recent.bytes + cached.bytes > this.#limits.account / 2) {
      this.#bytes -= rows?.earlier.bytes ?? 0;
      rows = { recent: new Generation(), earlier: rows?.recent ?? new Generation() };
      // At the end of the order: an account that was idle for longer goes first.
      this.#accounts.delete(account);
      this.#accounts.set(account, rows);
    }
    const { recent } = rows;
    recent.byName.set(name, cached);
    recent.names.set(cached.row[this.#find.number] as SqlValue, name);
    recent.bytes += cached.bytes;
    this.#bytes += cached.bytes;
    for (const other of this.#accounts.keys()) {
      if (this.#bytes <= this.#limits.total) return;
      this.dropAccount(other);
    }
  }

  /** Drops a row that was written, named by its key or, within its account, by its number. */
  drop(written: Readonly<Row>): void {
    const key = this.#columns.map((name) => written[name]);
    const number = written[this.#find.number];
    if (number !== undefined) this.#dropNumber(key[0] as SqlValue, number);
    if (key.every((part) => part !== undefined)) this.#dropName(key);
  }

  /** Adds to columns of a row, in place: the row that many read is counted so, and must not have to be read again. */
  add(written: Readonly<Row>, columns: readonly string[]): void {
    const number = written[this.#find.number];
    const rows = this.#accounts.get(written[this.#columns[0] as string] as SqlValue);
    if (number === undefined || !rows) this.drop(written);
    for (const generation of rows ? [rows.recent, rows.earlier] : []) {
      const row = generation.byName.get(generation.names.get(number as SqlValue) ?? '')?.row;
      for (const column of row ? columns : [])
        if (row && column in row) row[column] = Number(row[column]) + Number(written[column]);
    }
  }

  #dropName(key: readonly SqlValue[]): void {
    const rows = this.#accounts.get(key[0] as SqlValue);
    if (!rows) return;
    const name = nameOf(key);
    for (const generation of [rows.recent, rows.earlier])
      this.#bytes -= generation.remove(name, this.#find.number)?.bytes ?? 0;
  }

  #dropNumber(account: SqlValue, number: SqlValue): void {
    const rows = this.#accounts.get(account);
    if (!rows) return;
    for (const generation of [rows.recent, rows.earlier]) {
      const name = generation.names.get(number);
      if (name !== undefined) this.#bytes -= generation.remove(name, this.#find.number)?.bytes ?? 0;
    }
  }

  dropAccount(account: SqlValue): void {
    const rows = this.#accounts.get(account);
    if (!rows) return;
    this.#accounts.delete(account);
    this.#bytes -= rows.recent.bytes + rows.earlier.bytes;
  }

  clear(): void {
    this.#accounts.clear();
    this.#bytes = 0;
  }
}

/** A key without its account, as one text; the lengths make it unambiguous. */
export function nameOf(key: readonly SqlValue[]): string {
  let lengths = '';
  let parts = '';
  for (let i = 1; i < key.length; i++) {
    const part = String(key[i]);
    lengths += `${part.length} `;
    parts += part;
  }
  return lengths + parts;
}

const WIDE = /[^\0-\xff]/;

/** A text with one wide character takes two bytes for each. */
function bytesOf(row: Row): number {
  let bytes = 0;
  for (const name in row) {
    const value = row[name];
    if (typeof value === 'string') bytes += value.length * (WIDE.test(value) ? 2 : 1);
  }
  return bytes;
}
