import type { Module } from '../../kernel/index.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';

export { KeyLimiter } from './limiter.ts';
export { UsageMeter } from './meter.ts';
export { refuseUnknownPlan } from './plans.ts';

export const usage: Module = {
  name: 'usage',
  migrations,
  handlers,
  jobs: [{ name: 'usage: leases', run: async ({ services }) => services.meter?.sweep() }],
};
