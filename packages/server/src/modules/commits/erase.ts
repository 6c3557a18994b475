import { type EntryEraser, eraseEventDetails } from '../../kernel/index.ts';
import { countEmptied, deleteEmptied, emptiedSeqs } from './queries.ts';

/** Deletes commits that wrote only the erased entries. */
export const erasesEntries: EntryEraser = {
  count: async ({ tx }, erased) => ({ commits: await countEmptied(tx, erased) }),
  async erase({ tx }, erased) {
    await eraseEventDetails(tx, erased.account_id, emptiedSeqs(erased));
    return { commits: await deleteEmptied(tx, erased) };
  },
};
