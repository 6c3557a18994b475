import { statSync } from 'node:fs';
import { StorageError } from './database.ts';
import { type Driver, SqliteConnection, whileLocked } from './sqlite-connection.ts';

/** A rollback journal was left behind: only a connection that may write can read the file. */
const SQLITE_READONLY_ROLLBACK = 776;

const OBJECTS = `SELECT
    count(*) AS objects,
    (SELECT count(*) FROM pragma_table_info('schema_migrations') WHERE name IN ('version', 'name', 'applied_at')) AS known,
    (SELECT name FROM sqlite_schema WHERE type IN ('trigger', 'view') LIMIT 1) AS active
  FROM sqlite_schema`;

type SchemaObjects = { objects: number; known: number; active: string | null };

/**
 * Why a database is not a store: it belongs to another program, or has triggers or views. Mem makes neither on SQLite, and
 * they would run with its statements.
 */
export function foreignSchema(connection: SqliteConnection, file: string): string | undefined {
  const { objects, known, active } = connection.get<SchemaObjects>({ text: OBJECTS, values: [] }) as SchemaObjects;
  if (objects > 0 && known < 3) return `${file} is not a store of mem: it is the database of another program`;
  if (active === null) return undefined;
  return `${file} is not used: it has a trigger or view ${JSON.stringify(active)}, which mem did not make`;
}

/** Looks at an existing file before anything changes it. */
export async function refuseForeign(driver: Driver, file: string): Promise<void> {
  if (sizeOf(file) === 0) return;
  const why = await whileLocked(() => lookAt(driver, file));
  if (why !== undefined) throw new StorageError('refused', new Error(why));
}

function lookAt(driver: Driver, file: string): string | undefined {
  const look = (readOnly: boolean) => {
    const database = new driver.DatabaseSync(file, { readOnly });
    try {
      database.exec('PRAGMA busy_timeout = 5000');
      return foreignSchema(new SqliteConnection(database), file);
    } finally {
      database.close();
    }
  };
  try {
    return look(true);
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== SQLITE_READONLY_ROLLBACK) throw error;
    return look(false);
  }
}

/** 0 also where the folder is none: making it says what is wrong. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}
