import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { MAX_SECRET_CHARS, MIN_SECRET_CHARS, signingSecretProblem } from '../signing-secret.ts';
import { memberId } from '../team-shapes.ts';

const keyId = z
  .string()
  .regex(/^[0-9a-z]{1,64}$/, 'is not the id of a key')
  .meta({ description: 'The id of a key, which is not the key.', examples: ['01k0a4g3v5x7y9z1b3d5f7h9jk'] });

const permission = z
  .string()
  .toUpperCase()
  .pipe(z.enum(['READ', 'WRITE', 'READ_WRITE']))
  .meta({ description: 'What the key may do there: `READ`, `WRITE` or `READ_WRITE`.' });

const scope = z
  .strictObject({ pattern: s.pathGlob, permission })
  .meta({ id: 'Scope', description: 'Where a key may read or write.' });

const settings = {
  name: s.label(128).meta({ description: 'What people call the key.', examples: ['deploy bot'] }),
  key_type: z
    .enum(['agent', 'admin', 'service', 'webhook'])
    .default('agent')
    .meta({
      description:
        '`admin` may also manage keys, the audit trail and the account. `webhook` is the key within the address that a ' +
        'sender of webhooks is given: it works there alone, for the one connector that `connector` names.',
    }),
  scopes: z
    .array(scope)
    .min(1)
    .max(100)
    .default([{ pattern: '*', permission: 'READ_WRITE' }])
    .meta({ description: 'What the key may do; everything by default.' }),
  entity_paths: z.array(s.pathGlob).max(100).default([]).meta({
    description: 'If any are given, the key can access nothing outside of these paths, whatever its scopes are.',
  }),
  agent_ids: z
    .array(s.agentGlob)
    .max(100)
    .default([])
    .meta({
      description:
        'If any are given, the key can act and read only as these agents, so that entries with `shared: false` of others ' +
        'are out of its reach. Not for a key of the type admin, which concerns all agents.',
    }),
  shares_sessions: z
    .boolean()
    .default(false)
    .meta({
      description:
        'An open session belongs to the key that opened it. With true, the sessions that the key names are open to all ' +
        'keys with true.',
    }),
  default_branch: s.branch.nullable().default(null).meta({
    description:
      'The branch of its calls that name none; null: that of the agent, or `main`. It needs access like any other.',
  }),
  rate_limit_rpm: z.int().min(1).max(1_000_000).meta({ description: 'Requests that it may make a minute.' }),
};

const connector = s.connectorName.meta({
  description: 'For a key of the type webhook: the connector that it delivers to.',
});

/** Kept as it is, since it is compared by bytes. */
const secret = s
  .text(MAX_SECRET_CHARS)
  .superRefine((text, ctx) => {
    const message = signingSecretProblem(text);
    if (message) ctx.addIssue({ code: 'custom', message });
  })
  .optional();

const secretMeta = { minLength: MIN_SECRET_CHARS, maxLength: MAX_SECRET_CHARS, format: 'password', writeOnly: true };

/** The plan of the account may allow less than it has by default. */
const rate = settings.rate_limit_rpm.optional().meta({
  description: 'Requests that it may make a minute: at most what the plan allows, and by default 120.',
});

const apiKey = z
  .object({
    key_id: keyId,
    ...settings,
    connector: connector.nullable(),
    member_id: memberId.nullable().meta({ description: 'The member of a team that it belongs to.' }),
    secret_set: z.boolean().meta({
      description: 'For a key of the type webhook: it has a secret of its own, which is never shown.',
    }),
    prefix: z.string().meta({ description: 'The beginning of the key, to recognise it by.' }),
    active: z.boolean().meta({ description: 'Neither revoked nor expired, and its member was not removed.' }),
    created_at: s.utc,
    created_by: z.string().meta({ description: 'The key that made it, or what stood in for one.' }),
    expires_at: s.utc.nullable(),
    revoked_at: s.utc.nullable(),
    last_used_at: s.utc.nullable().meta({ description: 'To the minute.' }),
    rotated_from: keyId.nullable().meta({ description: 'The key that it replaces.' }),
  })
  .meta({ id: 'ApiKey' });

const newKey = apiKey
  .extend({
    key: z.string().nullable().meta({ description: 'The key itself. It is shown this once; a retry gives null.' }),
    address: z.string().nullable().meta({
      description:
        'For a key of the type webhook: the path to give to the sender, with the key in it. Shown this once too.',
    }),
  })
  .meta({ id: 'NewApiKey' });

const admin = { module: 'keys', admin: true } as const;

export const keys = {
  'keys.list': operation({
    summary: 'List API keys',
    description: 'Newest first, with those that were revoked. The keys themselves are kept nowhere.',
    ...admin,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/admin/api-keys' },
    cli: { alias: 'keys' },
    input: () =>
      z.strictObject({
        member_id: memberId.optional().meta({ description: 'Only the keys of this member of a team.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ keys: z.array(apiKey), ...s.page }),
    errors: ['forbidden', 'invalid_cursor'],
    example: () => ({}),
  }),
  'keys.create': operation({
    summary: 'Create an API key',
    description:
      'A key can give no more than the key that makes it has, and no more than the role of the member that it belongs to. ' +
      'A member has at most 100 keys that work.',
    ...admin,
    effect: 'write',
    cost: 2,
    grants_paths: true,
    once: ['key', 'address'],
    http: { method: 'POST', path: '/api/v1/admin/api-keys', status: 201, location: '/api/v1/admin/api-keys/{key_id}' },
    cli: { args: ['name'], alias: 'create-key' },
    input: () =>
      z.strictObject({
        ...settings,
        connector: connector.optional(),
        member_id: memberId.optional().meta({
          description: 'The member of a team that it belongs to. While the member is removed, it does not work.',
        }),
        secret: secret.meta({
          ...secretMeta,
          description:
            'For a key of the type webhook: what the sender signs its deliveries with. No other is accepted at this address ' +
            'then. Without it, the secret of the service counts.',
        }),
        rate_limit_rpm: rate,
        expires_at: s.timestamp.optional(),
      }),
    output: () => newKey,
    errors: ['forbidden', 'not_found', 'conflict', 'over_limit', 'module_not_installed'],
    example: () => ({ name: 'deploy bot', scopes: [{ pattern: 'checkout/**', permission: 'READ_WRITE' }] }),
  }),
  'keys.rotate': operation({
    summary: 'Replace an API key',
    description:
      'Makes a key with the same settings. The old one works for a while longer, so that no client is cut off.',
    ...admin,
    effect: 'write',
    cost: 2,
    once: ['key', 'address'],
    http: {
      method: 'POST',
      path: '/api/v1/admin/api-keys/{key_id}/rotate',
      status: 201,
      location: '/api/v1/admin/api-keys/{key_id}',
    },
    cli: { args: ['key_id'], alias: 'rotate-key' },
    input: () =>
      z.strictObject({
        key_id: keyId,
        overlap_seconds: z
          .int()
          .min(0)
          .max(2_592_000)
          .default(86_400)
          .meta({ description: 'How long the old key still works.' }),
        secret: secret.meta({
          ...secretMeta,
          description:
            'For a key of the type webhook: a new secret. The one before counts too as long as the old key works. ' +
            'Without it, the new key has the secret of the old one.',
        }),
      }),
    output: () => newKey,
    errors: ['forbidden', 'not_found', 'conflict'],
    example: () => ({ key_id: '01k0a4g3v5x7y9z1b3d5f7h9jk', overlap_seconds: 3600 }),
  }),
  'keys.revoke': operation({
    summary: 'Revoke an API key',
    description: 'At once on this server, and within five seconds on every other. A key that is revoked stays so.',
    ...admin,
    effect: 'write',
    cost: 2,
    removes: 'keys.create',
    http: { method: 'DELETE', path: '/api/v1/admin/api-keys/{key_id}' },
    cli: { args: ['key_id'], alias: 'revoke-key' },
    input: () => z.strictObject({ key_id: keyId }),
    output: () => apiKey,
    errors: ['forbidden', 'not_found'],
    example: () => ({ key_id: '01k0a4g3v5x7y9z1b3d5f7h9jk' }),
  }),
};
