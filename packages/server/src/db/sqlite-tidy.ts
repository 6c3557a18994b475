import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadDriver } from './sqlite-connection.ts';

/**
 * Moves what is left beside the files of a store into them, where nobody has them open any more. Of several processes the last
 * connection that was closed may have been one that only read, and such a one leaves everything as it is.
 */
export async function tidyFolder(directory: string): Promise<void> {
  const left = ['mem.db', 'words.db'].map((name) => join(directory, name)).filter((file) => existsSync(`${file}-wal`));
  if (left.length === 0) return;
  const { DatabaseSync } = await loadDriver();
  for (const file of left) {
    try {
      const database = new DatabaseSync(file);
      try {
        database.exec('PRAGMA busy_timeout = 1000; PRAGMA wal_checkpoint(TRUNCATE)');
      } finally {
        database.close();
      }
      // The next start finds it as it is, and says what is wrong with it.
    } catch {}
  }
}
