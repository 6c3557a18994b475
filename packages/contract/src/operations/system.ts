import * as z from 'zod';
import { operation } from '../operation.ts';

export const system = {
  'health.read': operation({
    summary: 'Health check',
    description:
      'Answers as long as the process lives. With `ready` it asks the database too: 503 without it, and where it can be read but takes no writes (`writable` is false then). A server that is meant to only read answers 200.',
    module: 'system',
    effect: 'none',
    cost: 0,
    open: true,
    http: { method: 'GET', path: '/health' },
    cli: { alias: 'health' },
    input: () => z.strictObject({ ready: z.boolean().default(false).meta({ description: 'Ask the database too.' }) }),
    output: () =>
      z
        .object({
          status: z.literal('ok'),
          version: z.string(),
          schema: z.int().meta({ description: 'How many database migrations were applied.' }),
          backend: z.enum(['sqlite', 'postgres']),
          read_only: z.literal(true).optional().meta({ description: 'The server only reads (MEM_READ_ONLY).' }),
          unnoted: z
            .record(z.string(), z.int())
            .optional()
            .meta({ description: 'Of a server that only reads: by kind, how much of what it noted nobody stored.' }),
          writable: z.boolean().optional().meta({ description: 'With `ready`: the database takes writes.' }),
        })
        .meta({ id: 'Health' }),
    errors: ['unavailable'],
    example: () => ({}),
  }),
};
