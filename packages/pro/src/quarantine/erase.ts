import { type EntryEraser, eraseEventNames } from '@mem-service/server/module';
import { deleteAbout, eventsAbout } from './queries.ts';

/** Removes erased entries from quarantines, and their names from the events about that. */
export const erasesEntries: EntryEraser = {
  async erase({ tx, account_id }, { erasedIds }) {
    await eraseEventNames(tx, account_id, eventsAbout(account_id, erasedIds));
    await deleteAbout(tx, account_id, erasedIds);
    return undefined;
  },
};
