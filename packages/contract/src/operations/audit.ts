import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

const line = z
  .object({
    no: z.int().meta({ description: 'Its place in the trail, from 1, without gaps.' }),
    at: s.utc,
    actor: z.string().meta({ description: 'The key, or what stood in for one.' }),
    key_id: z.string().nullable(),
    key_name: z.string().nullable().meta({ description: 'As the key was called then.' }),
    user: z
      .string()
      .nullable()
      .meta({ description: 'The user behind the key, as the caller names them in `X-MEM-User`.' }),
    agent_id: z.string(),
    action: z.string().meta({ description: 'The operation.', examples: ['entries.write'] }),
    resource: z.string().meta({ description: 'What it was done to; after an erasure, the receipt of that.' }),
    ip_address: z.string().nullable(),
    request_id: z.string(),
    before_hash: z.string().nullable().meta({ description: 'SHA-256 of what was there before.' }),
    after_hash: z.string().nullable().meta({ description: 'SHA-256 of what is there now, else of the answer.' }),
    hash: z.string().nullable().meta({ description: 'Of this line and the one before it.' }),
  })
  .meta({ id: 'AuditLine' });

// The audit trail names everything that anyone has acted on.
const admin = { module: 'audit', admin: true, needs_full_scope: true, effect: 'read', cost: 1 } as const;

export const audit = {
  'audit.list': operation({
    summary: 'Read the audit trail',
    description:
      'Newest first. Every change of the account has its line, and so has every look at what only admins see.',
    ...admin,
    http: { method: 'GET', path: '/api/v1/admin/audit' },
    cli: { alias: 'audit' },
    input: () =>
      z.strictObject({
        action: s.label(128).optional().meta({ description: 'Only this operation, or `all`.' }),
        actor: s.label(256).optional().meta({ description: 'Only what this actor did, such as `key/<key_id>`.' }),
        resource: s.text(1024).optional().meta({ description: 'Only what was done to exactly this.' }),
        since: s.since,
        until: s.until,
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ entries: z.array(line), ...s.page }),
    errors: ['forbidden', 'invalid_cursor', 'log_rewound'],
    example: () => ({ action: 'entries.write' }),
  }),
  'audit.verify': operation({
    summary: 'Verify the audit trail',
    description:
      'Recomputes the chain of hashes. Finds a line that was changed, taken out or put in, the last one too. Goes through ' +
      '`limit` lines a call; follow `next_cursor` to cover all.',
    ...admin,
    http: { method: 'GET', path: '/api/v1/admin/audit/verify' },
    cli: { alias: 'verify-audit' },
    input: () =>
      z.strictObject({
        limit: z.int().min(1).max(100_000).default(10_000).meta({ description: 'Lines to check.' }),
        cursor: s.cursor,
      }),
    output: () =>
      z.object({
        total_checked: z.int(),
        problems: z.array(
          z.object({
            no: z.int(),
            reason: z.enum(['missing', 'changed', 'subject_changed', 'unchained', 'end_missing']).meta({
              description:
                '`missing`: the line is not there. `changed`: its hash does not fit. `subject_changed`: what it names is ' +
                'not what was written. `unchained`: it has no hash. `end_missing`: the trail ends before the number stored for the account.',
            }),
          }),
        ),
        ...s.page,
      }),
    errors: ['forbidden', 'invalid_cursor', 'log_rewound'],
    example: () => ({}),
  }),
};
