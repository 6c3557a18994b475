import * as z from 'zod';
import { lookedAt } from './failure-shapes.ts';
import { judgeStatuses, judgeTarget, rate, traceCheck } from './judge-shapes.ts';
import * as s from './shapes.ts';
import { slug } from './slug.ts';
import { traceId } from './trace-shapes.ts';

const MAX_CHECKS = 20;
/** Traces with a behavior that one question about it looks at. */
export const MAX_MEASURED = 2000;
/** Traces around an example that it is compared with. */
export const MAX_AROUND = 400;

export const behaviorId = slug('a behavior', 'pays-without-checking').meta({ id: 'BehaviorId' });

export const matcher = z
  .array(traceCheck)
  .min(1)
  .max(MAX_CHECKS)
  .meta({ description: 'The checks of a code judge: a trace of which all of them hold has the behavior.' });

export const behavior = z
  .object({
    behavior_id: behaviorId,
    version: z.int().meta({ description: 'Another matcher, agent or path makes a new one.' }),
    name: z.string(),
    description: z.string(),
    status: z.enum(judgeStatuses).meta({
      description: '`active`: looked for in new traces. `draft`: only in those of a backfill. `archived`: no longer.',
    }),
    ...judgeTarget,
    matcher,
    trace_id: traceId.nullable().meta({ description: 'The example that it was found in.' }),
    backfill_id: z
      .string()
      .nullable()
      .meta({ description: 'Looks for this version in traces of the past; null where none was begun.' }),
    opens_incidents: z
      .boolean()
      .meta({ description: 'Incidents are opened where it is found more often than before.' }),
    agent_id: s.agentId.meta({ description: 'Who last changed it.' }),
    created_at: s.utc,
    updated_at: s.utc,
  })
  .meta({ id: 'Behavior', description: 'Something that an agent does again and again.' });

export const matchedTrace = z
  .object({
    trace_id: traceId,
    agent_id: s.agentId,
    session_id: z.string().nullable(),
    branch: s.branch,
    outcome_ref: z.string().nullable(),
    outcome_type: z.string().nullable(),
    traced_at: s.utc.meta({ description: 'When the trace was sealed.' }),
    matched_at: s.utc.meta({ description: 'When the behavior was found in it.' }),
  })
  .meta({ id: 'MatchedTrace', description: 'A trace with the behavior.' });

const counted = (names: z.ZodRawShape, id: string) =>
  z.object({ ...names, traces: z.int().meta({ description: 'How many of the traces with it.' }) }).meta({ id });

const compared = {
  difference: z.number().meta({ description: 'How much larger the second share is: -1 to 1.' }),
  low: z.number().meta({ description: 'The true difference is at least this, with 95 % confidence.' }),
  high: z.number(),
  p: z.number().meta({ description: 'How probable such a difference is by chance.' }),
};

export const blastRadius = z
  .object({
    behavior_id: behaviorId,
    version: z.int(),
    traces: rate.meta({ description: 'How many traces have it, of the newest that it was looked for in.' }),
    matched: z
      .int()
      .meta({ description: `How many traces with it the rest is about: at most the newest ${MAX_MEASURED}.` }),
    sessions: z.int().meta({ description: 'Of how many sessions these are.' }),
    agents: z.array(counted({ agent_id: s.agentId }, 'AgentsReached')).meta({ description: 'The 20 with the most.' }),
    agent_count: z.int(),
    paths: z
      .array(counted({ entity_path: s.entityPath }, 'PathsReached'))
      .meta({ description: 'The 20 paths that were read in the most of them.' }),
    path_count: z.int(),
    outcomes: z
      .array(counted({ outcome_type: z.string().nullable() }, 'OutcomesReached'))
      .meta({ description: 'Null: without an outcome.' }),
    fails: z
      .object({ without_it: rate, with_it: rate, ...compared })
      .meta({ id: 'HarmOfBehavior', description: 'How often outcomes are failures, without it and with it.' }),
    cost: z
      .object({
        total_usd: z
          .number()
          .nullable()
          .meta({ description: 'As far as it is known: calls without a price are left out. Null where none has one.' }),
        known: z.int().meta({ description: 'Of how many traces the whole cost is known.' }),
        average_usd: z.number().nullable().meta({ description: 'Of these.' }),
      })
      .meta({ id: 'CostOfBehavior', description: 'What the traces with it cost.' }),
    first_at: s.utc.nullable().meta({ description: 'The oldest of them.' }),
    last_at: s.utc.nullable().meta({ description: 'The newest of them.' }),
    growth: z
      .object({
        trend: z.enum(['growing', 'shrinking', 'steady', 'unknown']).meta({
          description:
            '`growing` and `shrinking` only where `p` is at most 0.05. `unknown`: fewer than 10 traces in a half.',
        }),
        earlier: rate.meta({ description: 'Of the earlier half of the traces that it was looked for in.' }),
        later: rate.meta({ description: 'Of the later half.' }),
        later_since: s.utc.nullable().meta({ description: 'Where the later half begins.' }),
        ...compared,
      })
      .meta({ id: 'GrowthOfBehavior', description: 'Whether more traces have it than before.' }),
    ...lookedAt,
  })
  .meta({ id: 'BlastRadius', description: 'How far a behavior reaches.' });

export const featureKinds = ['tool', 'order', 'error', 'memory', 'outcome', 'model', 'attribute'] as const;

export const foundFeature = z
  .object({
    feature: z.string().meta({ description: 'In words.' }),
    kind: z.enum(featureKinds),
    check: traceCheck,
    used: z.boolean().meta({ description: 'It is in the matcher.' }),
    neighbours: rate.meta({ description: 'Of the traces that the matcher matches.' }),
    elsewhere: rate.meta({ description: 'Of all others.' }),
    p: z.number().meta({ description: 'How probable that difference is by chance, given how many were compared.' }),
  })
  .meta({ id: 'FoundFeature', description: 'Something that the example has.' });

export const foundBehavior = z
  .object({
    behavior,
    reason: z.enum(['fails', 'new', 'rare', 'itself']).meta({
      description:
        'What sets it apart. `fails`: runs with it fail more often. `new`: it was less frequent before. `rare`: neither, but few runs ' +
        'have it. `itself`: nothing sets it apart beyond chance; the matcher is what is rarest in it.',
    }),
    chance: z.number().nullable().meta({
      description:
        'How probable that is by chance, given how much was compared; null for `rare` and `itself`, which no test is about.',
    }),
    neighbours: z.int().meta({ description: 'How many of the compared traces have it, with the example.' }),
    trace_ids: z.array(traceId).meta({ description: 'Up to ten of them: those that are most like the example.' }),
    features: z.array(foundFeature).meta({
      description: 'What the example has in common with these and what is rarer elsewhere, the surest first.',
    }),
    ...lookedAt,
  })
  .meta({ id: 'FoundBehavior', description: 'What is common to a trace and its neighbours, and rare elsewhere.' });
