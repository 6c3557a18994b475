import * as z from 'zod';
import { behaviorId } from '../behavior-shapes.ts';
import * as f from '../failure-shapes.ts';
import { judgeId, verdictMemory } from '../judge-shapes.ts';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { outcomeType, traceId } from '../trace-shapes.ts';

const MAX_TRACE_IDS = 200;

const circumstance = z
  .object({
    dimension: z.string().meta({
      description:
        'As segments are cut: `tool_name`, `model`, `agent_id` or an attribute such as `attributes.release`. `since`: the time since the version was first read.',
    }),
    value: z.union([z.string(), z.number(), z.boolean()]),
  })
  .meta({ id: 'RunCircumstance', description: 'What runs have in common beside the memory that they read.' });

const suspect = z
  .object({
    entity_path: s.entityPath,
    key: s.key,
    branch: s.branch,
    version: s.version,
    newest_version: s.version.meta({ description: 'Of the entry, as it is now.' }),
    deleted: z.boolean().meta({ description: 'Whether the entry was deleted since, or has expired.' }),
    written_by: s.agentId.nullable().meta({ description: 'Who wrote this version; null where it was erased.' }),
    written_at: s.utc.nullable(),
    with_it: f.failureRate.meta({ description: 'Of the runs that read it.' }),
    without_it: f.failureRate.meta({ description: 'Of those that did not.' }),
    lift: z.object({ ratio: z.number(), low: z.number(), high: z.number() }).meta({
      description:
        'How many times as often runs fail that read it, with 95 % confidence between low and high. Half a failure more is counted on each side, so that none has a ratio too.',
    }),
    p: z.number().meta({ description: 'How probable that is by chance, given how many versions were compared.' }),
    always_with: z
      .array(verdictMemory)
      .meta({ description: 'Up to 20 versions that the very same runs read: nothing tells them apart.' }),
    explained_by: z.union([verdictMemory, circumstance]).nullable().meta({
      description:
        'It is suspect only because it was read together with this one, or where runs had this in common: among runs that are alike in that, those which read it fail as often as others.',
    }),
    ledger: z
      .object({
        successes: z.int(),
        failures: z.int(),
        confidence_change: z.number().meta({ description: 'What they added up to.' }),
      })
      .meta({ description: 'What the newest outcomes that rested on this version did to the entry.' }),
    trace_ids: z.array(z.string()).meta({ description: 'Up to five of the newest runs that read it and failed.' }),
  })
  .meta({ id: 'SuspectMemory', description: 'A version that failing runs read more often than others.' });

export const attribution = {
  'failures.attribute': operation({
    summary: 'Find the memory behind failures',
    description:
      'Compares what failing runs read with what passing runs read, and names the versions that make runs fail more often than ' +
      'chance explains, the surest first. Those that something else explains, such as a tool with which runs fail whatever they read, come last and ' +
      'say so. Failing are the runs that `judge_id` failed, or that have `behavior_id`, or those in `trace_ids`, or those with ' +
      `one of \`outcome_types\`. The newest ${f.MAX_ATTRIBUTED_RUNS.toLocaleString('en')} runs of the time are compared.`,
    module: 'attribution',
    effect: 'read',
    cost: 1,
    // What runs read is loaded in parts.
    items_per_statement: 10,
    http: { method: 'POST', path: '/api/v1/eval/attribution' },
    cli: { args: ['judge_id'], alias: 'attribute', also: ['eval attribution'] },
    tools: [
      {
        name: 'mem_attribute_failure',
        toolset: 'evaluation',
        description:
          'Which versions of memory failing sessions read more often than others: the likely cause, with its author.',
        fields: ['judge_id', 'behavior_id', 'trace_ids', 'agent_id', 'since', 'until', 'limit'],
        unlisted: ['outcome_types'],
        about: {
          judge_id: 'Sessions that this judge failed',
          behavior_id: 'Or that have this behavior',
          trace_ids: 'Or these; else by their outcomes',
          agent_id: 'Only sessions of this agent',
          since: 'ISO time',
          until: 'ISO time',
        },
        limit: 5,
        miss: 'mem_segment, or more sessions',
      },
    ],
    input: () =>
      z.strictObject({
        judge_id: judgeId.optional().meta({ description: 'Failing are the runs that this judge failed.' }),
        behavior_id: behaviorId.optional().meta({ description: 'Failing are the runs with this behavior.' }),
        trace_ids: z
          .array(traceId)
          .min(1)
          .max(MAX_TRACE_IDS)
          .optional()
          .meta({ description: 'Failing are these; they are compared with the runs whose outcome is a success.' }),
        outcome_types: z.array(outcomeType).min(1).max(8).optional().meta({
          description: 'Failing are the runs with one of these outcomes; all kinds of failure where it is left out.',
        }),
        ...f.runWindow,
        limit: z.int().min(1).max(50).default(10).meta({ description: 'The most suspects in the answer.' }),
      }),
    output: () =>
      z.object({
        suspects: z.array(suspect),
        failed: z.int().meta({ description: 'How many failing runs were compared.' }),
        passed: z.int().meta({ description: 'With how many passing ones.' }),
        ...f.lookedAt,
      }),
    errors: ['not_found', 'module_not_installed'],
    example: () => ({}),
  }),
};
