import type { EntryEraser } from '../../kernel/index.ts';
import * as queries from './queries.ts';

/** Forgets what was asked of paths that are to go. That entries were read is kept in numbers, which then name nothing. */
export const erasesEntries: EntryEraser = {
  count: async ({ tx }, erased) => ({ session_records: await queries.countItemsAt(tx, erased) }),
  erase: async ({ tx }, erased) => ({ session_records: await queries.deleteItemsAt(tx, erased) }),
};
