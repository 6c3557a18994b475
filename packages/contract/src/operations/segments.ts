import * as z from 'zod';
import { behaviorId } from '../behavior-shapes.ts';
import * as f from '../failure-shapes.ts';
import { judgeId } from '../judge-shapes.ts';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

const MAX_BY = 10;

const dimension = s
  .text(256)
  .refine(
    (name) => (f.plainDimensions as readonly string[]).includes(name) || /^attributes\../.test(name),
    `must be one of ${f.plainDimensions.join(', ')}, or attributes.<key>`,
  )
  .meta({
    id: 'Dimension',
    description: `What runs are cut by: ${f.plainDimensions.join(', ')}, or \`attributes.<key>\`. \`path\` is that of an entry that was read; times are UTC.`,
    examples: ['attributes.release'],
  });

const value = z.union([z.string(), z.number(), z.boolean()]);

const segment = z
  .object({
    dimension: z.string(),
    value,
    fails: f.failureRate.meta({ description: 'Of the runs with this value.' }),
    rest: f.failureRate.meta({ description: 'Of all others.' }),
    difference: z.number().meta({ description: 'How much more often the segment fails: -1 to 1.' }),
    low: z.number().meta({ description: 'The true difference is at least this, with 95 % confidence.' }),
    high: z.number(),
    p: z.number().meta({ description: 'How probable such a difference is by chance.' }),
    adjusted_p: z.number().meta({ description: 'The same, given how many segments were compared.' }),
    differs: z
      .enum(['worse', 'better'])
      .nullable()
      .meta({ description: 'Null where chance explains it: `adjusted_p` is above 0.05.' }),
  })
  .meta({ id: 'Segment', description: 'Runs with the same value, against all others.' });

const listedDimension = z
  .object({
    name: z.string(),
    runs: z.int().meta({ description: 'How many runs have a value.' }),
    value_count: z.int().meta({ description: 'How many different values there are.' }),
    values: z
      .array(z.object({ value, runs: z.int() }))
      .meta({ description: 'The most frequent ones, and how many runs have each.' }),
  })
  .meta({ id: 'ListedDimension', description: 'Something that runs can be cut by.' });

const about = { module: 'segments', effect: 'read', cost: 1, items_per_statement: 25 } as const;
const newest = `The newest ${f.MAX_SEGMENTED_RUNS.toLocaleString('en')} runs of the time are looked at.`;

export const segments = {
  'segments.list': operation({
    summary: 'Compare how often segments fail',
    description:
      'Cuts runs by agent, model, branch, path read, tool, time or any attribute, and says of each segment how often it fails, by a ' +
      "judge, by a behavior or by the runs' outcomes, and whether that differs from all other runs by more than chance, given how many segments " +
      `were compared (Benjamini and Hochberg). The worst first. ${newest}`,
    ...about,
    http: { method: 'POST', path: '/api/v1/eval/segment' },
    cli: { args: ['by'], alias: 'segments', also: ['eval segment'] },
    tools: [
      {
        name: 'mem_segment',
        toolset: 'evaluation',
        description:
          'Where failures are: fail rates by agent, model, path read, time or attribute, beyond chance or not.',
        fields: ['by', 'judge_id', 'behavior_id', 'agent_id', 'since', 'until', 'limit'],
        unlisted: ['min_runs'],
        about: {
          by: 'Names of mem_dimensions; else all',
          judge_id: 'Failures that this judge found; else outcomes',
          behavior_id: 'Or sessions with this behavior',
          agent_id: 'Only sessions of this agent',
          since: 'ISO time',
          until: 'ISO time',
        },
        limit: 20,
        miss: 'mem_dimensions',
      },
    ],
    input: () =>
      z.strictObject({
        by: z
          .array(dimension)
          .max(MAX_BY)
          .default([])
          .meta({ description: 'What to cut by; all that there is where it is empty.' }),
        judge_id: judgeId.optional().meta({
          description: 'What this judge found, in its newest version; without it, what the outcomes say.',
        }),
        behavior_id: behaviorId
          .optional()
          .meta({ description: 'In place of a judge: a run with this behavior counts as one that failed.' }),
        ...f.runWindow,
        min_runs: z.int().min(1).max(1000).default(5).meta({ description: 'Leave out segments with fewer runs.' }),
        limit: z.int().min(1).max(500).default(50).meta({ description: 'The most segments in the answer.' }),
      }),
    output: () =>
      z.object({
        fails: f.failureRate.meta({ description: 'Of all runs whose result is known.' }),
        segments: z.array(segment),
        compared: z.int().meta({ description: 'How many segments were compared.' }),
        not_compared: z.int().meta({
          description:
            'How many were not: with fewer runs than `min_runs`, with all others having fewer, with all runs, or not among the largest.',
        }),
        ...f.lookedAt,
      }),
    errors: ['not_found', 'module_not_installed'],
    example: () => ({ by: ['agent_id', 'attributes.release'] }),
  }),

  'dimensions.list': operation({
    summary: 'List what runs can be cut by',
    description: `With the most frequent values of each. ${newest}`,
    ...about,
    http: { method: 'GET', path: '/api/v1/eval/dimensions' },
    cli: { alias: 'dimensions', also: ['eval dimensions'] },
    tools: [
      {
        name: 'mem_dimensions',
        toolset: 'evaluation',
        description: 'What mem_segment can cut sessions by, with the most frequent values.',
        fields: ['agent_id', 'since', 'until'],
        about: { agent_id: 'Only sessions of this agent', since: 'ISO time', until: 'ISO time' },
        miss: 'mem_list_traces',
      },
    ],
    input: () => z.strictObject(f.runWindow),
    output: () => z.object({ dimensions: z.array(listedDimension), ...f.lookedAt }),
    errors: ['module_not_installed'],
    example: () => ({}),
  }),
};
