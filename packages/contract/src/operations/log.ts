import { z } from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

export const log = {
  'log.list': operation({
    summary: 'Follow the log',
    description:
      'Every change of the account in commit order, after a sequence number. Events about entries the caller may not see ' +
      'are left out, so numbers may be missing; `last_seq` says how far the page reaches.',
    module: 'log',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/log' },
    cli: { alias: 'log' },
    input: z.strictObject({
      after: z.int().min(0).default(0).meta({ description: 'Only events with a greater `seq`.' }),
      limit: s.limit,
    }),
    output: z.object({
      events: z.array(
        z
          .object({
            seq: z.int(),
            event_type: z.string(),
            agent_id: s.agentId,
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
      has_more: z.boolean(),
    }),
    errors: [],
    example: { after: 0 },
  }),
};
