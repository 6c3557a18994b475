import type { EntryEraser, Module } from '../../kernel/index.ts';
import { followLog } from './follow-log.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { deleteMarks, deleteVisitsAt } from './queries.ts';
import { tables } from './tables.ts';

const erasesEntries: EntryEraser = {
  async erase({ tx }, erased) {
    await deleteMarks(tx, erased.account_id, erased.erasedIds);
    await deleteVisitsAt(tx, erased);
    return undefined;
  },
};

/** What an agent should know before it begins. */
export const briefing: Module = {
  name: 'briefing',
  migrations,
  tables,
  erasesEntries,
  handlers,
  consumers: [followLog],
};
