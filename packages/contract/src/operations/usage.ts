import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

const period = z.string().meta({ description: 'The month that is counted, in UTC.', examples: ['2026-01'] });
const count = z.int().min(0);
const limit = count.nullable().meta({ description: 'Ops that the plan has for a month; null where it has no limit.' });
const remaining = count.nullable().meta({ description: 'Ops that are left of them; null where there is no limit.' });

const usage = z
  .object({
    period,
    period_start: s.utc,
    period_end: s.utc.meta({ description: 'When the next month begins, and counting with it.' }),
    ops_used: count,
    ops_limit: limit,
    ops_remaining: remaining,
    warning_level: z
      .union([z.literal(80), z.literal(95), z.literal(100)])
      .nullable()
      .meta({ description: 'The highest of 80, 95 and 100 percent that was reached.' }),
  })
  .meta({ id: 'Usage' });

const bound = z
  .object({
    used: count.nullable().meta({
      description:
        'Null where it is about the whole account and the caller may not see all of it: without a key, or with one that is kept to a part. Null too where the service has no plans.',
    }),
    limit: count.nullable().meta({ description: 'What the plan allows; null where it has no limit.' }),
  })
  .meta({ id: 'PlanBound' });

const limits = z
  .object({
    key_rate_rpm: bound.meta({ description: 'Requests of this key in the last minute, and what it may make.' }),
    rate_rpm: bound.meta({ description: 'Requests of all keys of the account in the last minute.' }),
    storage_bytes: bound.meta({ description: 'Bytes of all versions, traces and open sessions.' }),
    storage_entries: bound.meta({ description: 'Entries that are not deleted.' }),
    storage_bytes_with_rooms: bound.meta({
      description: 'With all rooms that the account owns: beyond the limit, writes in them are refused.',
    }),
    storage_entries_with_rooms: bound.meta({ description: 'The same for entries.' }),
    open_sessions: bound,
    open_streams: bound.meta({ description: 'Event streams, on the server that answers.' }),
  })
  .meta({ id: 'PlanLimits' });

const ownKey = z
  .object({
    key_id: z.string(),
    name: z.string(),
    key_type: z.enum(['agent', 'admin', 'service', 'webhook']),
    scopes: z.array(z.object({ pattern: z.string(), permission: z.enum(['READ', 'WRITE', 'READ_WRITE']) })),
    entity_paths: z.array(z.string()),
    agent_ids: z.array(z.string()),
    shares_sessions: z.boolean(),
    default_branch: z.string().nullable(),
    rate_limit_rpm: z.int(),
    expires_at: s.utc.nullable(),
    member_id: z.string().nullable(),
  })
  .meta({ id: 'OwnKey' });

const url = z.string().nullable();

const me = z
  .object({
    account: z.object({
      account_id: z.string(),
      name: z.string(),
      plan: z.string().nullable(),
      status: z.enum(['active', 'suspended']),
    }),
    key: ownKey.nullable().meta({ description: 'The key that asks; null where the service has no keys of accounts.' }),
    default_branch: s.branch.meta({ description: 'The branch of a call that names none.' }),
    usage,
    limits,
    warnings: z.array(z.string()).meta({ description: 'What needs attention, in words; empty if nothing does.' }),
    upgrade_url: url.meta({ description: 'Where to get more.' }),
    plan_comparison_url: url.meta({ description: 'Where the plans are compared.' }),
  })
  .meta({ id: 'Me' });

const example = { account_id: '3f0c1c1e-5f0a-4b53-9d2e-6f6f2b6f7a10', ops: 12 };

export const usageOperations = {
  'me.read': operation({
    summary: 'Read the account, key and usage of the caller',
    description:
      'The account, the key and its scopes, the usage of this month and what needs attention. Any key may call it.',
    module: 'usage',
    effect: 'none',
    cost: 0,
    http: { method: 'GET', path: '/api/v1/me' },
    cli: { alias: 'me' },
    input: () => z.strictObject({}),
    output: () => me,
    errors: [],
    example: () => ({}),
  }),
  'usage.record': operation({
    summary: 'Record usage of an account',
    description:
      'For ops that were spent elsewhere. Recorded whole or, beyond the limit of the plan, not at all. Send an ' +
      '`Idempotency-Key`: a retry with the same key counts once.',
    module: 'usage',
    effect: 'control',
    cost: 0,
    http: { method: 'POST', path: '/api/v1/internal/usage/record' },
    cli: { args: ['account_id', 'ops'], alias: 'record-usage' },
    input: () =>
      z.strictObject({
        account_id: z.guid().meta({ description: 'The account.', examples: [example.account_id] }),
        ops: count.meta({ description: 'Ops to add.', examples: [12] }),
      }),
    output: () =>
      z
        .object({
          account_id: z.string(),
          period,
          ops_consumed: count.meta({ description: 'Ops used in this period, with those.' }),
          ops_remaining: remaining,
          ops_limit: limit,
        })
        .meta({ id: 'UsageRecorded' }),
    errors: [
      'unauthenticated',
      'not_found',
      'plan_required',
      'quota_exceeded',
      'module_not_installed',
      'idempotency_mismatch',
    ],
    example: () => example,
  }),
};
