import * as z from 'zod';
import { eventNames } from '../event-types.ts';
import { operation, streaming } from '../operation.ts';
import * as s from '../shapes.ts';

/** Accepts the names of the log and those of the stream. */
export const eventTypes = z
  .array(z.string().meta({ enum: eventNames }))
  .min(1)
  .superRefine((names, ctx) => {
    const unknown = names.find((name) => !eventNames.includes(name));
    if (unknown !== undefined)
      ctx.addIssue({
        code: 'custom',
        message: `there is no ${JSON.stringify(unknown)}: give ${eventNames.join(', ')}`,
      });
  })
  .meta({ description: 'Only events of these types, by their names in the log or in the stream.' });

/** Common members of an event's details. Each type has its own, and may have others. */
const details = {
  commit_id: z.string(),
  outcome_ref: z.string().nullable(),
  outcome_type: z.string().nullable(),
  causal_confidence: z.number(),
  trace_id: z.string().nullable(),
};

const actor = s.agentId.optional().meta({ description: 'Who did it, where that is not `agent_id`.' });

const position = z
  .string()
  .regex(/^\d{1,15}(-[0-9a-z]{1,7})?$/)
  .meta({ examples: ['41-k3f9a2'] });

const after = z.union([z.int().min(0), position], {
  error: 'must be a `position` of the log, or the `seq` of an event',
});

const ofEvent = position.meta({
  description:
    'Hand this back as `after` to go on after the event; unlike `seq` it is recognised after a restored backup.',
});

const streamEvent = z
  .looseObject({
    seq: z.int(),
    position: ofEvent,
    event_type: z.string().meta({ description: 'As the log names it.', examples: ['write'] }),
    agent_id: s.agentId,
    actor_agent_id: actor,
    branch: s.branch,
    entity_path: z.string().nullable(),
    key: z.string().nullable(),
    version: z.int().nullable(),
    created_at: s.utc,
    ...z.object(details).partial().shape,
  })
  .meta({ id: 'StreamEvent', description: 'One event of the log, with the details of its type beside the rest.' });

export const log = {
  'log.list': operation({
    summary: 'Follow the log',
    description:
      'Every change of the account in commit order, after a sequence number. Events about entries the caller may not see ' +
      'are left out, so numbers may be missing; `last_seq` and `last_position` say how far the page reaches; one that had to ' +
      'look at very many events for its filters ends early. A position that the log no longer has, as after a restored ' +
      'backup, is refused with 409 `log_rewound`.',
    module: 'log',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/log' },
    cli: { hidden: true },
    input: () =>
      z.strictObject({
        after: after.default(0).meta({ description: 'Only events after this `position` or `seq`.' }),
        since: s.since.meta({ description: 'Only events at or after this time, or from the start of this day (UTC).' }),
        types: eventTypes.optional(),
        exclude_types: eventTypes.optional().meta({ description: 'Not events of these types.' }),
        limit: s.limit,
        branch: s.branch.optional().meta({
          description:
            'Only events of this branch, and those of the branches it was made from up to the fork. Without it, events of all branches.',
        }),
      }),
    output: () =>
      z.object({
        events: z.array(
          z
            .object({
              seq: z.int(),
              position: ofEvent,
              event_type: z.string(),
              agent_id: s.agentId,
              actor_agent_id: actor,
              branch: s.branch,
              entity_path: z.string().nullable(),
              key: z.string().nullable(),
              version: z.int().nullable(),
              details: z.record(z.string(), z.unknown()),
              created_at: s.utc,
            })
            .meta({ id: 'LogEvent' }),
        ),
        last_seq: z.int(),
        last_position: position.meta({ description: 'Hand this back as `after` for the next page.' }),
        has_more: z.boolean(),
      }),
    errors: ['branch_not_found', 'log_rewound'],
    example: () => ({ after: 0 }),
  }),

  'log.stream': streaming({
    summary: 'Stream events as they happen',
    description:
      'Server-Sent Events, one for each change the caller may see: `event` is `memory_write`, `outcome` or another type, ' +
      '`id` is the `position`, `data` is JSON. A comment comes at once and every 15 seconds. Send the last `id` back as ' +
      '`Last-Event-ID` (or `after`) to go on without a gap. A position that the log no longer has, because a backup was ' +
      'restored or a failover lost writes, is refused with 409 `log_rewound`, `last_seq` and `position`; an open stream ends with ' +
      'an event `log_rewound` that has the same members. A reader that does not keep up is disconnected.',
    module: 'log',
    effect: 'read',
    cost: 1,
    // Reads past events in pages.
    items_per_statement: 100,
    http: { method: 'GET', path: '/api/v1/stream' },
    cli: { args: ['entity_path'], alias: 'watch', also: ['stream'] },
    input: () =>
      z.strictObject({
        entity_path: s.pathGlob.optional(),
        types: eventTypes.optional(),
        agent_id: s.agentId.optional().meta({ description: 'Only events on the timeline of this agent.' }),
        branch: s.branch.default('main'),
        all_branches: z.boolean().default(false).meta({
          description:
            'Events of all branches that the caller may read, as they may change; `branch` is not considered.',
        }),
        after: after.optional().meta({
          description:
            'Only events after this `position` or `seq`; 0 replays all. Without it, what is committed from now on.',
        }),
      }),
    output: () => streamEvent,
    errors: ['branch_not_found', 'log_rewound'],
    example: () => ({ entity_path: 'checkout/**', after: 0 }),
  }),
};
