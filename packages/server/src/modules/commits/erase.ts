import { type EntryEraser, eraseEventDetails } from '../../kernel/index.ts';
import { countEmptied, deleteEmptied, emptiedSeqs } from './queries.ts';

/** A commit that wrote nothing else goes with the entries. */
export const erasesEntries: EntryEraser = {
  count: async ({ tx }, erased) => ({ commits: await countEmptied(tx, erased) }),
  async erase({ tx }, erased) {
    await eraseEventDetails(tx, erased.account_id, emptiedSeqs(erased));
    return { commits: await deleteEmptied(tx, erased) };
  },
};
