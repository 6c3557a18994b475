import { type CachedFind, type CacheLimits, nameOf, RowCache } from './row-cache.ts';
import { findOneText, once, type Row, type SqlValue } from './sql.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { translate } from './sqlite-errors.ts';

/** What a transaction has written: rows named by their columns, or anything in a table. `add`: it only added to these. */
export type WrittenRows = { table: string; rows: readonly Row[] | 'any'; add?: readonly string[] | undefined };

type KnownRowsParts = { reader: SqliteConnection; writer: SqliteConnection; limits: CacheLimits };

/**
 * Rows that were read before, as long as no commit has changed them. Commits of this process drop what they wrote. Those
 * of other connections are noticed by `data_version`, which the connection of the writer changes for all but its own; then
 * everything is dropped.
 */
export class SqliteKnownRows {
  readonly #parts: KnownRowsParts;
  readonly #caches = new Map<CachedFind, RowCache>();
  #dataVersion: number | undefined;
  #checked: Promise<void> | undefined;
  #isUsed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(parts: KnownRowsParts) {
    this.#parts = parts;
  }

  async find(find: CachedFind, key: readonly SqlValue[]): Promise<Row | undefined> {
    const cache = this.#cacheOf(find);
    const name = nameOf(key);
    if (!cache.has(key[0] as SqlValue, name)) return this.#read(cache, find, key);
    await (this.#checked ?? this.#checkAfterTurn());
    this.#isUsed = true;
    return cache.get(key, name) ?? this.#read(cache, find, key);
  }

  /** Reading and keeping are one step, so that no commit of this process falls between them. */
  #read(cache: RowCache, find: CachedFind, key: readonly SqlValue[]): Row | undefined {
    const row = this.#readRow(find, key);
    if (row) {
      cache.put(key, row);
      this.#idle ??= setInterval(() => this.#dropUnused(), IDLE_MS).unref();
    }
    return row;
  }

  #readRow(find: CachedFind, key: readonly SqlValue[]): Row | undefined {
    try {
      return this.#parts.reader.get<Row>({ text: findOneText(find), values: key });
    } catch (error) {
      throw translate(error);
    }
  }

  /**
   * Looks once for all requests that arrived in a turn of the event loop, when the last of them is there: whatever was
   * acknowledged before any of them was sent is noticed. A look takes 3 µs, as much as a third of a row.
   */
  #checkAfterTurn(): Promise<void> {
    this.#checked = new Promise((resolve) => {
      setImmediate(() => {
        this.#checked = undefined;
        this.check();
        resolve();
      });
    });
    return this.#checked;
  }

  /** Drops everything when another connection has committed. */
  check(): void {
    const found = this.#readDataVersion();
    if (found === undefined || found !== this.#dataVersion) this.clear();
    this.#dataVersion = found;
  }

  #readDataVersion(): number | undefined {
    try {
      return this.#parts.writer.get<{ data_version: number }>(DATA_VERSION)?.data_version;
    } catch {
      return undefined;
    }
  }

  /** The tables with known rows that a statement may write to. */
  tablesIn(statement: string): string[] {
    if (statement.startsWith('SELECT') || this.#caches.size === 0) return [];
    return [...this.#caches.keys()].flatMap((find) =>
      tablesOf(find).filter((table) => writesTo(table).test(statement)),
    );
  }

  /** Whether a write to a table with known rows names each row by these columns; undefined for other tables. */
  namedBy(table: string, columns: object): 'row' | 'any' | undefined {
    let how: 'row' | 'any' | undefined;
    for (const find of this.#caches.keys()) {
      if (!tablesOf(find).includes(table)) continue;
      const [account = '', ...rest] = Object.keys(find.by);
      const isNamed = account in columns && (find.number in columns || rest.every((name) => name in columns));
      how = isNamed && how !== 'any' ? 'row' : 'any';
    }
    return how;
  }

  /** Call it with what a commit wrote before anything else can run. */
  committed(written: readonly WrittenRows[]): void {
    for (const { table, rows, add } of written)
      for (const [find, cache] of this.#caches) {
        if (!tablesOf(find).includes(table)) continue;
        if (rows === 'any') cache.clear();
        else if (add) for (const row of rows) cache.add(row, add);
        else for (const row of rows) cache.drop(row);
      }
  }

  clear(): void {
    for (const cache of this.#caches.values()) cache.clear();
  }

  close(): void {
    clearInterval(this.#idle);
    this.clear();
  }

  /** What another process erases must not stay in the memory of one that nobody asks. */
  #dropUnused(): void {
    if (this.#isUsed) this.check();
    else this.clear();
    this.#isUsed = false;
  }

  #cacheOf(find: CachedFind): RowCache {
    let cache = this.#caches.get(find);
    if (!cache) {
      cache = new RowCache(find, this.#parts.limits);
      this.#caches.set(find, cache);
    }
    return cache;
  }
}

/** Also matches where a table is only read: then too much is dropped. */
const writesTo = (table: string): RegExp => {
  const known = WRITES.get(table) ?? new RegExp(`\\b(?:INTO|UPDATE|FROM|TABLE|OR \\w+)\\s+"?${table}\\b`, 'i');
  WRITES.set(table, known);
  return known;
};
const WRITES = new Map<string, RegExp>();

const tablesOf = once(({ table, beside }: CachedFind): readonly string[] => (beside ? [table, beside.table] : [table]));

const IDLE_MS = 60_000;
const DATA_VERSION = { text: 'PRAGMA data_version', values: [] };
