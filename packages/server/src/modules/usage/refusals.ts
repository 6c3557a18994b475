import { Fault } from '@mem-service/contract';
import type { Settings } from '../../kernel/index.ts';
import type { UsageTally } from './tally.ts';

/** Links to change the plan, as far as the operator has set them. */
function links({ upgrade_url, plan_comparison_url }: Settings): Record<string, string> {
  return {
    ...(upgrade_url === null ? {} : { upgrade_url }),
    ...(plan_comparison_url === null ? {} : { plan_comparison_url }),
  };
}

/** For an account that has no plan, or no ops left in it. */
export function refusalOf(settings: Settings, { hasPlan, limit, spent, remaining, period }: UsageTally): Fault {
  if (!hasPlan) return new Fault('plan_required', 'the account is on no plan; choose one first', links(settings));
  const next = new Date(period.end).toISOString().slice(0, 10);
  const detail = { ops_limit: limit, ops_remaining: remaining, ...links(settings) };
  return new Fault(
    'quota_exceeded',
    `the plan has ${limit} ops a month, of which ${spent} are used; more come on ${next}`,
    detail,
  );
}
