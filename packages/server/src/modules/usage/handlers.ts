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
  UNBOUNDED,
} from '../../kernel/index.ts';
import { describeKey } from '../keys/index.ts';
import { type AccountUsageRow, getUsage } from './queries.ts';
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
  const limits = await limitsOf(services, caller, account);
  const allowed = limits.key_rate_rpm.limit;
  return {
    account: { account_id, name, plan, status },
    // A plan may allow less than the key was given.
    key: key && { ...key, rate_limit_rpm: allowed ?? key.rate_limit_rpm },
    default_branch: await services.defaultBranches.of(caller),
    usage: toUsage(standing),
    limits,
    warnings: warningsOf(standing, { limits, key_ends: key?.expires_at ?? null, now }),
    upgrade_url,
    plan_comparison_url,
  };
});

type MeLimits = Output<'me.read'>['limits'];

async function limitsOf(
  services: Services,
  { account_id, key }: Caller,
  account: AccountUsageRow | undefined,
): Promise<MeLimits> {
  const bounds = services.boundsOf?.(account?.plan ?? null) ?? UNBOUNDED;
  const made = key && services.limiter?.requestsOf({ account_id, key_id: key.key_id });
  const rates = services.limiter ? bounds : UNBOUNDED;
  const keyRate = key?.rate_limit_rpm ?? null;
  const ownRate = rates.key_rate_rpm === null ? keyRate : Math.min(keyRate ?? rates.key_rate_rpm, rates.key_rate_rpm);
  const { storage_bytes = 0, storage_entries = 0, open_sessions = 0 } = account ?? {};
  // Amounts of the whole account would show a caller that is kept to a part of it, or for whom others hide, when they write.
  const seesAll = services.boundsOf !== undefined && key && key.read === undefined && key.agent_ids === undefined;
  const ofAccount = (used: number) => (seesAll ? used : null);
  const withRooms = seesAll ? await services.roomOwners?.storedBy(account_id) : undefined;
  return {
    key_rate_rpm: { used: made?.key ?? 0, limit: services.limiter ? ownRate : null },
    rate_rpm: { used: ofAccount(made?.account ?? 0), limit: rates.rate_rpm },
    storage_bytes: { used: ofAccount(storage_bytes), limit: bounds.storage_bytes },
    storage_entries: { used: ofAccount(storage_entries), limit: bounds.storage_entries },
    storage_bytes_with_rooms: { used: withRooms?.storage_bytes ?? null, limit: bounds.storage_bytes },
    storage_entries_with_rooms: { used: withRooms?.storage_entries ?? null, limit: bounds.storage_entries },
    open_sessions: { used: ofAccount(open_sessions), limit: bounds.open_sessions },
    open_streams: { used: ofAccount(services.openStreams.get(account_id) ?? 0), limit: bounds.open_streams },
  };
}

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
