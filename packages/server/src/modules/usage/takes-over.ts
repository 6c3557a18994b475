import { Fault } from '@mem-service/contract';
import type { Kernel, Module } from '../../kernel/index.ts';
import type { AskedOps, ReturnedOps } from './lender.ts';
import { UsageMeter } from './meter.ts';
import { type CountedRequests, exchangeRequests } from './requests.ts';

function meterOf({ services: { meter } }: Kernel): UsageMeter {
  if (meter instanceof UsageMeter) return meter;
  throw new Fault('module_not_installed', 'usage is counted only in a hosted service (MEM_MODE=hosted)');
}

/** What servers that only read cannot store themselves. */
export const takesOver: NonNullable<Module['takesOver']> = {
  lease: async (kernel, asked: AskedOps) => meterOf(kernel).lend(asked),
  charge: async (kernel, returned: ReturnedOps) => meterOf(kernel).charge(returned),
  requests: async ({ services }, counted: CountedRequests) =>
    exchangeRequests(services.database, { ...counted, clears: false }),
};
