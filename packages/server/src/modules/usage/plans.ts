import { invalidInput } from '@mem-service/contract';
import type { Settings } from '../../kernel/index.ts';
import table from './plans.json' with { type: 'json' };

/** The operator's plans, or the built-in ones. */
export const plansOf = ({ plans }: Settings): NonNullable<Settings['plans']> => plans ?? table;

/** Ops a month: null is no limit, undefined no such plan. */
export function limitOf(settings: Settings, plan: string | null): number | null | undefined {
  const plans = plansOf(settings);
  return plan !== null && Object.hasOwn(plans, plan) ? plans[plan]?.ops_per_month : undefined;
}

/** Throws where the plan does not exist. */
export function refuseUnknownPlan(settings: Settings, plan: string | null | undefined): void {
  if (plan === undefined || plan === null || limitOf(settings, plan) !== undefined) return;
  const known = Object.keys(plansOf(settings)).join(', ');
  throw invalidInput([{ path: 'plan', message: `is not a plan of this service: ${known}` }]);
}
