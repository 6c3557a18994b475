import { looksAt, type Module, WHOLE_ACCOUNT } from '../../kernel/index.ts';
import { erasesAgent, erasesEntries } from './erase.ts';
import { keeper } from './keep.ts';
import { report } from './report.ts';
import { tables } from './tables.ts';

/** How much accounts are used, by day, agent and path. */
export const activity: Module = {
  name: 'activity',
  migrations: [],
  tables,
  erasesEntries,
  erasesAgent,
  handlers: { 'usage.read': looksAt(() => WHOLE_ACCOUNT, report) },
  keepActivity: keeper,
};
