import { Fault, type Output } from '@mem-service/contract';
import {
  type Caller,
  changed,
  controls,
  type Handlers,
  hashedBy,
  type PlanUsage,
  reads,
  type Services,
  toIso,
} from '../../kernel/index.ts';
import { describeKey } from '../keys/index.ts';
import { getUsage } from './queries.ts';
import { periodOf } from './rules/period.ts';
import { warningsOf } from './rules/warnings.ts';

const record = controls<'usage.record'>(async ({ services, work }, { account_id, ops }) => {
  const { meter, database, clock } = services;
  if (!meter) throw new Fault('module_not_installed', 'usage is counted only in a hosted service (MEM_MODE=hosted)');
  const { name: period } = periodOf(clock.now());
  const account = await getUsage(database.forAccount(account_id).read, { account_id, period });
  if (!account) throw new Fault('not_found', `there is no account ${account_id}`, { account_id });
  await meter.makeRoom(account_id, ops);
  return work(account_id, async (work) => {
    const { period, ops_used, ops_remaining, ops_limit } = await meter.record(work, ops);
    const output = { account_id, period: period.name, ops_consumed: ops_used, ops_remaining, ops_limit };
    return changed(output, { resource: account_id, ...hashedBy(output) });
  });
});

const readMe = reads<'me.read'>(async ({ caller, read, services, now }) => {
  const { account_id, key: holder } = caller;
  const { upgrade_url, plan_comparison_url } = services.settings;
  const standing = await planUsageOf(services, caller, now);
  const account = await getUsage(read, { account_id, period: standing.period.name });
  const { name = '', plan = null, status = 'active' } = account ?? {};
  const key = holder ? await describeKey(read, { account_id, key_id: holder.key_id }) : null;
  return {
    account: { account_id, name, plan, status },
    key,
    usage: toUsage(standing),
    warnings: warningsOf(standing, key?.expires_at ?? null, now),
    upgrade_url,
    plan_comparison_url,
  };
});

/** Without metering there is no limit: self-hosted, and for the operator working on the store directly. */
async function planUsageOf({ meter }: Services, { account_id, key }: Caller, now: number): Promise<PlanUsage> {
  if (meter && key) return meter.planUsage(account_id);
  const nothing = { plan: null, ops_used: 0, ops_limit: null, ops_remaining: null, warning_level: null };
  return { ...nothing, has_plan: true, period: periodOf(now) };
}

const toUsage = ({
  period,
  ops_used,
  ops_limit,
  ops_remaining,
  warning_level,
}: PlanUsage): Output<'me.read'>['usage'] => ({
  period: period.name,
  period_start: toIso(period.start),
  period_end: toIso(period.end),
  ops_used,
  ops_limit,
  ops_remaining,
  warning_level,
});

export const handlers: Handlers = { 'me.read': readMe, 'usage.record': record };
