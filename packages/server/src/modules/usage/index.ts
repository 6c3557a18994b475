import type { Module } from '../../kernel/index.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { takesOver } from './takes-over.ts';

export { KeyLimiter } from './limiter.ts';
export { UsageMeter } from './meter.ts';
export { planBounds, refuseUnknownPlan } from './plans.ts';

export const usage: Module = {
  name: 'usage',
  migrations,
  tables: [
    { table: 'usage_counters', key: ['period'], left_out: 'usage is paid for in the service where it happened' },
    {
      table: 'usage_ledger',
      key: ['period', 'no'],
      left_out: 'usage is paid for in the service where it happened',
      // Ledger lines are deleted only together with their account.
      rights: {
        own: ['SELECT', 'INSERT'],
        maintenance: ['SELECT (account_id, period, no)', 'DELETE'],
        ended_accounts_only: true,
      },
    },
    {
      table: 'rate_cells',
      key: ['key_id', 'cell'],
      left_out: 'requests of the last minutes',
      unrelated: { key_id: 'an API key' },
      // How often each key was used in a minute, counted by all servers together.
      rights: { maintenance: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] },
    },
  ],
  handlers,
  takesOver,
  timers: [{ name: 'usage.return_leases', run: async ({ services }) => services.meter?.sweep() }],
};
