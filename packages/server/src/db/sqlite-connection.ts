import { setTimeout as sleep } from 'node:timers/promises';
import type {
  DatabaseSyncInstance as DatabaseSync,
  StatementSyncInstance as StatementSync,
} from '@photostructure/sqlite';
import type { Sql } from './sql.ts';
import { primaryCode, SQLITE_BUSY } from './sqlite-errors.ts';

export type Driver = Pick<typeof import('@photostructure/sqlite'), 'DatabaseSync'>;

/** `node:sqlite` where the runtime has it, else the package with the same interface. */
export async function loadDriver(): Promise<Driver> {
  const builtIn = 'node:sqlite';
  try {
    return (await import(builtIn)) as Driver;
  } catch {
    return await import('@photostructure/sqlite');
  }
}

/** One connection and its statements, each prepared once. */
export class Connection {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  statement(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (!statement) {
      if (this.#statements.size >= 500) this.#statements.clear();
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  exec(text: string): void {
    this.#database.exec(text);
  }

  all<T>({ text, values }: Sql): T[] {
    return this.statement(text).all(...values) as T[];
  }

  get<T>({ text, values }: Sql): T | undefined {
    return (this.statement(text).get(...values) ?? undefined) as T | undefined;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}

const PRAGMAS = `
  PRAGMA busy_timeout = 5000;
  PRAGMA page_size = 8192;
  PRAGMA journal_mode = WAL;
  PRAGMA wal_autocheckpoint = 32000;
  PRAGMA journal_size_limit = 0;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA secure_delete = ON;
  PRAGMA temp_store = MEMORY;
  PRAGMA cache_size = -32768;
  PRAGMA mmap_size = 268435456;
`;

/** The busy timeout does not cover the switch of a new file to WAL, so a locked open is tried again. */
export async function openConnection(driver: Driver, file: string, readOnly: boolean): Promise<Connection> {
  for (let attempt = 1; ; attempt++) {
    const database = new driver.DatabaseSync(file, { readOnly });
    try {
      database.exec(readOnly ? PRAGMAS.replace('PRAGMA journal_mode = WAL;', '') : PRAGMAS);
      return new Connection(database);
    } catch (error) {
      database.close();
      if (primaryCode(error) !== SQLITE_BUSY || attempt === 50) throw error;
      await sleep(20 + attempt * 5);
    }
  }
}
