import * as z from 'zod';
import * as s from './shapes.ts';

/** Runs that one question about segments looks at. */
export const MAX_SEGMENTED_RUNS = 5000;
/** Runs that are compared to find the memory behind failures. */
export const MAX_ATTRIBUTED_RUNS = 2000;

/** What runs can be cut by beside their attributes. */
export const plainDimensions = [
  'agent_id',
  'branch',
  'model',
  'tool_name',
  'path',
  'outcome_type',
  'has_error',
  'day',
  'weekday',
  'hour_of_day',
] as const;

/** How many of some runs failed, with the interval in which the true share lies. */
export const failureRate = z
  .object({
    rate: z.number().nullable().meta({ description: 'The share that failed; null where there are no runs.' }),
    low: z.number().meta({ description: 'The true share is at least this, with 95 % confidence.' }),
    high: z.number().meta({ description: 'And at most this.' }),
    count: z.int().meta({ description: 'How many failed.' }),
    of: z.int().meta({ description: 'Of how many runs.' }),
  })
  .meta({ id: 'FailureRate', description: "A share of runs that failed, with Wilson's interval." });

/** How far back a question about runs goes, and how much of that was looked at. */
export const lookedAt = {
  looked_at: z.int().meta({ description: 'How many runs were looked at, the newest first.' }),
  complete: z.boolean().meta({ description: 'False: there are older ones, or some that are not indexed yet.' }),
};

/** Which runs a question is about. */
export const runWindow = {
  agent_id: s.agentId.optional().meta({ description: 'Only runs of this agent.' }),
  since: s.since.meta({ description: 'Runs that were sealed at or after this time.' }),
  until: s.until.meta({ description: 'Runs that were sealed before this time.' }),
};
