import { Fault } from '@mem-service/contract';
import { planLinks, type Settings } from '../../kernel/index.ts';
import type { UsageTally } from './tally.ts';

/** For an account that has no plan, or no ops left in it. */
export function refusalOf(settings: Settings, { hasPlan, limit, spent, remaining, period }: UsageTally): Fault {
  if (!hasPlan) return new Fault('plan_required', 'the account is on no plan; choose one first', planLinks(settings));
  const next = new Date(period.end).toISOString().slice(0, 10);
  const detail = { ops_limit: limit, ops_remaining: remaining, ...planLinks(settings) };
  return new Fault(
    'quota_exceeded',
    `the plan has ${limit} ops a month, of which ${spent} are used; more come on ${next}`,
    detail,
  );
}
