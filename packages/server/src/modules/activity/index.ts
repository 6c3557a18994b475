import { looksAt, type Module, WHOLE_ACCOUNT } from '../../kernel/index.ts';
import { erasesAgent, erasesEntries } from './erase.ts';
import { report } from './report.ts';
import { createActivitySaver } from './save.ts';
import { tables } from './tables.ts';

/** How much accounts are used, by day, agent and path. */
export const activity: Module = {
  name: 'activity',
  migrations: [],
  tables,
  erasesEntries,
  erasesAgent,
  handlers: { 'usage.read': looksAt(() => WHOLE_ACCOUNT, report) },
  saveActivity: createActivitySaver,
};
