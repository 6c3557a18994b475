import { loadDriver, openConnection, type SqliteConnection } from '../../packages/server/src/db/sqlite-connection.ts';

/** A store as a file, to do to it what no program does. */
export const openDriver = async (file: string): Promise<SqliteConnection> =>
  openConnection(await loadDriver(), file, false);
