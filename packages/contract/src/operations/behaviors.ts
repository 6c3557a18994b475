import * as z from 'zod';
import * as b from '../behavior-shapes.ts';
import { MAX_SEGMENTED_RUNS, runWindow } from '../failure-shapes.ts';
import * as j from '../judge-shapes.ts';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { author, traceId } from '../trace-shapes.ts';

const name = s.label(128).meta({ description: 'What people call it.', examples: ['Pays without checking'] });
const description = s.text(4096).meta({ description: 'What it is, and why it matters.' });
const status = z.enum(['active', 'draft']).meta({ description: 'A draft is not looked for in new traces.' });
const backfill = z
  .boolean()
  .default(true)
  .meta({ description: 'Look for it in traces of the past, too, in the background.' });
const opensIncidents = z.boolean().meta({
  description:
    'Open incidents where it is found more often than before. False for a good one, or one that says nothing.',
});
const version = z
  .int()
  .min(1)
  .optional()
  .meta({ description: 'Where an older version was found; the newest where it is left out.' });

const example = { behavior_id: 'pays-without-checking' };
const sample = [
  { check: 'tool_required' as const, tool: 'pay' },
  { check: 'tool_forbidden' as const, tool: 'check_*' },
];

/** Matchers name paths and tools from anywhere in the account. */
const about = { module: 'behaviors', whole: true } as const;

export const behaviors = {
  'behaviors.create': operation({
    summary: 'Define a behavior',
    description:
      'A behavior is what an agent does, in the checks of a code judge: a trace has it where all of them hold. It is looked for in new ' +
      'traces as they are sealed, and by a backfill in those of the past.',
    ...about,
    effect: 'write',
    cost: 2,
    http: {
      method: 'POST',
      path: '/api/v1/eval/behaviors',
      status: 201,
      location: '/api/v1/eval/behaviors/{behavior_id}',
    },
    cli: { args: ['behavior_id'], alias: 'create-behavior' },
    input: () =>
      z.strictObject({
        behavior_id: b.behaviorId,
        name: name.optional().meta({ description: 'What people call it; its id where it is left out.' }),
        description: description.default(''),
        matcher: b.matcher,
        for_agent: j.judgeTarget.for_agent.default(null),
        for_path: j.judgeTarget.for_path.default(null),
        status: status.default('active'),
        opens_incidents: opensIncidents.default(true),
        backfill,
        ...author,
      }),
    output: () => b.behavior,
    errors: ['conflict', 'module_not_installed'],
    example: (n) => ({ behavior_id: nth('pays-without-checking', n), name: 'Pays without checking', matcher: sample }),
  }),

  'behaviors.create_from_trace': operation({
    summary: 'Find a behavior in an example',
    description:
      'What is common to a trace and its neighbours and rare elsewhere: tools that it calls or leaves out, their order, errors, memory ' +
      'read, models, attributes, outcome. The feature that sets it apart the most surely, other than the outcome, becomes the matcher, with others where that is ' +
      'surer still; `behaviors.update` changes it. Up to ' +
      `${b.MAX_AROUND} traces around the example are compared, which every agent may see.`,
    ...about,
    effect: 'write',
    cost: 2,
    items_per_statement: 25,
    http: {
      method: 'POST',
      path: '/api/v1/eval/behaviors/from-trace',
      status: 201,
      location: '/api/v1/eval/behaviors/{behavior_id}',
    },
    cli: { args: ['behavior_id', 'trace_id'], alias: 'behavior-from-trace', also: ['eval behavior'] },
    input: () =>
      z.strictObject({
        behavior_id: b.behaviorId,
        trace_id: traceId.meta({ description: 'The example: on main, and not private.' }),
        name: name.optional().meta({ description: 'What people call it; its id where it is left out.' }),
        description: description.default(''),
        for_agent: j.judgeTarget.for_agent
          .default(null)
          .meta({ description: 'Compare with traces of this agent only, and look for it only there.' }),
        status: status.default('active'),
        opens_incidents: opensIncidents.default(true),
        backfill,
        ...author,
      }),
    output: () => b.foundBehavior,
    errors: ['not_found', 'conflict', 'module_not_installed'],
    example: (n) => ({ behavior_id: nth('like-this-one', n), trace_id: '01hzy3v9k2m8q4w6x0c5b7n1dp' }),
  }),

  'behaviors.list': operation({
    summary: 'List behaviors',
    description: 'By id. Archived ones are left out unless they are asked for.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/behaviors' },
    cli: { alias: 'behaviors', also: ['eval behaviors'] },
    tools: [
      {
        name: 'mem_behaviors',
        toolset: 'evaluation',
        description: 'List recurring behaviors that are looked for in traces.',
        fields: ['for_agent', 'status', 'limit', 'cursor'],
        about: { for_agent: 'Only those that are looked for in its traces', status: 'Only with this status' },
        limit: 20,
        miss: 'mem_behavior_define or mem_behavior_from_trace',
      },
    ],
    input: () =>
      z.strictObject({
        for_agent: s.agentId
          .optional()
          .meta({ description: 'Only those that are looked for in traces of this agent.' }),
        status: z.enum(j.judgeStatuses).optional().meta({ description: 'Only those with this status.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ behaviors: z.array(b.behavior), ...s.page }),
    errors: ['invalid_cursor', 'module_not_installed'],
    example: () => ({}),
  }),

  'behaviors.read': operation({
    summary: 'Read a behavior',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/behaviors/{behavior_id}' },
    cli: { args: ['behavior_id'], alias: 'show-behavior' },
    input: () => z.strictObject({ behavior_id: b.behaviorId }),
    output: () => b.behavior,
    errors: ['not_found', 'module_not_installed'],
    example: () => example,
  }),

  'behaviors.update': operation({
    summary: 'Change a behavior',
    description:
      'Another matcher, agent or path is a new version, which is looked for in every trace again. Name, description, status and ' +
      '`opens_incidents` change without one.',
    ...about,
    effect: 'write',
    cost: 2,
    http: { method: 'PATCH', path: '/api/v1/eval/behaviors/{behavior_id}' },
    cli: { args: ['behavior_id'], alias: 'update-behavior' },
    input: () =>
      z.strictObject({
        behavior_id: b.behaviorId,
        name: name.optional(),
        description: description.optional(),
        matcher: b.matcher.optional(),
        for_agent: j.judgeTarget.for_agent.optional(),
        for_path: j.judgeTarget.for_path.optional(),
        status: status.optional(),
        opens_incidents: opensIncidents.optional(),
        backfill,
        if_version: z.int().min(1).optional().meta({ description: 'Refuse unless this is its newest version.' }),
        ...author,
      }),
    output: () => b.behavior,
    errors: ['not_found', 'version_conflict', 'conflict', 'module_not_installed'],
    example: () => ({ ...example, name: 'Pays without checking first' }),
  }),

  'behaviors.list_traces': operation({
    summary: 'List the traces with a behavior',
    description: 'Newest first, as far as the caller may see them.',
    module: 'behaviors',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/eval/behaviors/{behavior_id}/traces' },
    cli: { args: ['behavior_id'], alias: 'behavior-traces' },
    input: () =>
      z.strictObject({
        behavior_id: b.behaviorId,
        version,
        agent_id: s.agentId.optional().meta({ description: 'Only traces of this agent.' }),
        since: s.since.meta({ description: 'Traces that were sealed at or after this time.' }),
        until: s.until.meta({ description: 'Traces that were sealed before this time.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ traces: z.array(b.matchedTrace), ...s.page }),
    errors: ['not_found', 'invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => example,
  }),

  'behaviors.blast_radius': operation({
    summary: 'Measure how far a behavior reaches',
    description:
      'Its newest version: how many traces have it, in how many sessions, of which agents, at which paths, with which outcomes and ' +
      'costs, since when, and whether more traces have it than before. Only traces that the caller may see are counted: the newest ' +
      `${MAX_SEGMENTED_RUNS.toLocaleString('en')} in which it was looked for, and the newest ` +
      `${b.MAX_MEASURED.toLocaleString('en')} that have it.`,
    module: 'behaviors',
    effect: 'read',
    cost: 1,
    items_per_statement: 25,
    http: { method: 'GET', path: '/api/v1/eval/behaviors/{behavior_id}/blast-radius' },
    cli: { args: ['behavior_id'], alias: 'blast-radius', also: ['eval blast-radius'] },
    tools: [
      {
        name: 'mem_blast_radius',
        toolset: 'evaluation',
        description: 'How far a behavior reaches: sessions, agents, paths, outcomes, cost, since when, growing or not.',
        fields: ['behavior_id', 'agent_id', 'since', 'until'],
        about: {
          behavior_id: 'The behavior',
          agent_id: 'Only sessions of this agent',
          since: 'ISO time',
          until: 'ISO time',
        },
        miss: 'mem_behaviors',
      },
    ],
    input: () => z.strictObject({ behavior_id: b.behaviorId, ...runWindow }),
    output: () => b.blastRadius,
    errors: ['not_found', 'module_not_installed'],
    example: () => example,
  }),

  'behaviors.delete': operation({
    summary: 'Archive a behavior',
    description:
      'It is looked for no more. The traces that have it stay known, and `behaviors.update` with a status brings it back.',
    ...about,
    effect: 'write',
    cost: 2,
    removes: 'behaviors.create',
    http: { method: 'DELETE', path: '/api/v1/eval/behaviors/{behavior_id}' },
    cli: { args: ['behavior_id'], alias: 'archive-behavior' },
    input: () => z.strictObject({ behavior_id: b.behaviorId, ...author }),
    output: () => b.behavior,
    errors: ['not_found', 'module_not_installed'],
    example: () => example,
  }),
};
