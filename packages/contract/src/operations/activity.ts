import * as z from 'zod';
import { operation } from '../operation.ts';

const count = z.int().min(0);
const date = z.iso.date().meta({ description: 'A day, in UTC.', examples: ['2026-01-31'] });
const milliseconds = z.number().nullable();

const tally = {
  requests: count,
  reads: count,
  writes: count,
  ops: count.meta({ description: 'What these requests cost.' }),
  errors: count.meta({ description: 'Requests that were refused or failed.' }),
};

const latency = z
  .object({ p50: milliseconds, p95: milliseconds, p99: milliseconds })
  .meta({ id: 'Latency', description: 'In milliseconds, to a tenth; null without requests.' });

const peak = count.meta({ description: 'The most requests within one minute, by the clock.' });
const name = z
  .string()
  .nullable()
  .meta({ description: 'An agent or a path; null for all that are not listed by name.' });

const quota = z
  .object({
    name: z.enum(['ops', 'entries', 'traces', 'api_keys']),
    current: count,
    limit: count.nullable().meta({ description: 'Null where there is none.' }),
  })
  .meta({ id: 'Quota' });

const usage = z
  .object({
    from: date,
    to: date,
    requests_today: count,
    requests_this_month: count,
    ops_today: count,
    ops_this_month: count,
    ...tally,
    peak_rpm: peak,
    latency_ms: latency,
    quotas: z.array(quota),
    top_agents: z.array(z.object({ agent_id: z.string(), ...tally })),
    top_paths: z.array(z.object({ entity_path: z.string(), ...tally })),
    group_by: z.enum(['day', 'agent', 'path']),
    series: z
      .array(
        z.object({ day: date, name, ...tally, peak_rpm: peak.nullable(), latency_ms: latency.nullable() }).meta({
          id: 'UsagePoint',
        }),
      )
      .meta({ description: 'By day; of agents and paths, the top ones and all others together.' }),
  })
  .meta({ id: 'UsageReport' });

export const activity = {
  'usage.read': operation({
    summary: 'See how much the account is used',
    description:
      'Requests, ops, errors, the busiest minute and the latency, for each day; the agents and paths with the most requests. ' +
      'Counted beside the requests and written every few seconds, so what other servers did in the last seconds may be ' +
      'missing. It is about the whole account, so a key that is kept to a part of it is refused.',
    module: 'activity',
    effect: 'read',
    cost: 1,
    admin: true,
    whole: true,
    http: { method: 'GET', path: '/api/v1/admin/usage' },
    cli: { alias: 'usage' },
    input: () =>
      z
        .strictObject({
          from: date.optional().meta({ description: 'The first day. Default: the first of this month.' }),
          to: date.optional().meta({ description: 'The last day. Default: today. At most 400 days.' }),
          group_by: z
            .enum(['day', 'agent', 'path'])
            .default('day')
            .meta({ description: 'What the series is grouped by.' }),
          limit: z.int().min(1).max(100).default(10).meta({ description: 'How many agents and paths are named.' }),
        })
        .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
          message: 'must not be after to',
          path: ['from'],
        }),
    output: () => usage,
    errors: ['forbidden'],
    example: () => ({ group_by: 'agent' as const }),
  }),
};
