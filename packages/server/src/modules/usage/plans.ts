import { invalidInput } from '@mem-service/contract';
import type { PlanBounds, Settings, UsagePlan } from '../../kernel/index.ts';
import table from './plans.json' with { type: 'json' };

/** What an account may have that is on no plan, or on one that is no longer in the table. */
const WITHOUT_PLAN: PlanBounds = withDefaults(table.free);

/** The operator's plans, or the built-in ones. */
export const plansOf = ({ plans }: Settings): NonNullable<Settings['plans']> => plans ?? table;

/** Ops a month: null is no limit, undefined no such plan. */
export function limitOf(settings: Settings, plan: string | null): number | null | undefined {
  const plans = plansOf(settings);
  return plan !== null && Object.hasOwn(plans, plan) ? plans[plan]?.ops_per_month : undefined;
}

/** The bounds of every plan. Returns the same object each time. */
export function planBounds(settings: Settings): (plan: string | null) => PlanBounds {
  const known = new Map(Object.entries(plansOf(settings)).map(([name, plan]) => [name, withDefaults(plan)]));
  return (plan) => (plan === null ? undefined : known.get(plan)) ?? WITHOUT_PLAN;
}

function withDefaults(plan: UsagePlan): PlanBounds {
  return {
    key_rate_rpm: plan.key_rate_rpm ?? null,
    rate_rpm: plan.rate_rpm ?? null,
    storage_bytes: plan.storage_bytes ?? null,
    storage_entries: plan.storage_entries ?? null,
    open_sessions: plan.open_sessions ?? null,
    open_streams: plan.open_streams ?? null,
  };
}

/** Throws where the plan does not exist. */
export function refuseUnknownPlan(settings: Settings, plan: string | null | undefined): void {
  if (plan === undefined || plan === null || limitOf(settings, plan) !== undefined) return;
  const known = Object.keys(plansOf(settings)).join(', ');
  throw invalidInput([{ path: 'plan', message: `is not a plan of this service: ${known}` }]);
}
