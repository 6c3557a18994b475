import type { EntryEraser } from '../../kernel/index.ts';
import * as queries from './queries.ts';

/** Erases queries about paths that are erased. Reads stay as numbers, which then refer to nothing. */
export const erasesEntries: EntryEraser = {
  count: async ({ tx }, erased) => ({ session_records: await queries.countItemsAt(tx, erased) }),
  erase: async ({ tx }, erased) => ({ session_records: await queries.deleteItemsAt(tx, erased) }),
};
