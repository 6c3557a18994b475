import { loadDriver, openConnection, type SqliteConnection } from '../../packages/server/src/db/sqlite-connection.ts';

/** A store as a file, for changes that no program makes. */
export const openDriver = async (file: string): Promise<SqliteConnection> =>
  openConnection(await loadDriver(), file, false);
