import { looksAt, type Module, WHOLE_ACCOUNT } from '../../kernel/index.ts';
import { keeper } from './keep.ts';
import { report } from './report.ts';
import { tables } from './tables.ts';

export { forgetAgent, forgetPaths } from './queries.ts';

/** How much accounts are used, by day, agent and path. */
export const activity: Module = {
  name: 'activity',
  migrations: [],
  tables,
  handlers: { 'usage.read': looksAt(() => WHOLE_ACCOUNT, report) },
  keepActivity: keeper,
};
