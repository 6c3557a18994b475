import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { eventTypes } from './log.ts';

const unit = z.enum(['minute', 'hour', 'day']);

export const series = {
  'series.read': operation({
    summary: 'Count events over time',
    description:
      'How many events of each type there were in each minute, hour or day (UTC) of a branch, as far as the caller may ' +
      'see them in the log; stretches without any are left out. At most 1,500 points. Minutes are kept for 8 days. With ' +
      '`entity_path`, and for a key with a scope, the newest events of the log are counted one by one: `complete_since` ' +
      'then says from when on none is missing. `include_agents` counts the agents that were active, too. `failed_outcomes` is a part of `counts.outcome`.',
    module: 'series',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/series' },
    cli: { args: ['unit'], alias: 'series' },
    tools: [
      {
        name: 'mem_series',
        toolset: 'data',
        description: 'How many events of each type there were in each minute, hour or day.',
        fields: ['unit', 'since', 'until', 'types', 'agent_id', 'entity_path', 'branch'],
        unlisted: ['include_descendants', 'include_agents'],
        about: { types: 'Only these, e.g. write' },
      },
    ],
    input: () =>
      z
        .strictObject({
          unit: unit.default('hour').meta({ description: 'The length of a stretch.' }),
          since: s.since.meta({
            description:
              'From this time, or the start of this day (UTC). Default: 60 minutes, 48 hours or 30 days back.',
          }),
          until: s.until.meta({ description: 'Up to this time, or the end of this day (UTC). Default: now.' }),
          types: eventTypes.optional(),
          agent_id: s.agentId.optional().meta({ description: 'Only events on the timeline of this agent.' }),
          entity_path: s.pathGlob.optional(),
          include_descendants: s.includeDescendants,
          include_agents: z.boolean().default(false).meta({
            description: 'Also count the agents that were active in each stretch, as `agents`.',
          }),
          branch: s.branch.default('main'),
        })
        .refine(({ since, until }) => !since || !until || Date.parse(since) <= Date.parse(until), {
          message: 'must not be after until',
          path: ['since'],
        }),
    output: () =>
      z
        .object({
          unit,
          since: s.utc,
          until: s.utc,
          points: z.array(
            z
              .object({
                at: s.utc.meta({ description: 'The first moment of the stretch.' }),
                total: z.int(),
                counts: z.record(z.string(), z.int()).meta({ description: 'How many of each type.' }),
                failed_outcomes: z
                  .int()
                  .meta({ description: 'How many of the outcomes failed: all but success and clean_deploy.' }),
                agents: z
                  .int()
                  .optional()
                  .meta({
                    description:
                      'With `include_agents`: how many agents did some of these events. What others did to the memory of an ' +
                      'agent, and what the service does by itself, is not its activity.',
                  }),
              })
              .meta({ id: 'SeriesPoint' }),
          ),
          complete_since: s.utc
            .nullable()
            .meta({ description: 'Events and agents before this may be missing; null: none is.' }),
        })
        .meta({ id: 'Series' }),
    errors: ['branch_not_found'],
    example: () => ({ unit: 'hour' as const, since: '2026-01-31', until: '2026-01-31' }),
  }),
};
