import * as z from 'zod';
import { listing, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { exportLine } from './transfer.ts';

const accountId = z.guid().meta({ description: 'An account.', examples: ['3f0c1c1e-5f0a-4b53-9d2e-6f6f2b6f7a10'] });
const name = s.label(256).meta({ description: 'Who the account is for.', examples: ['Example Ltd'] });
const plan = s.label(64).nullable().meta({ description: 'The plan it is on; null where none was chosen yet.' });
const status = z
  .enum(['active', 'suspended'])
  .meta({ description: 'A suspended account is refused with 403, and keeps its data.' });

const account = z
  .object({ account_id: accountId, name: z.string(), plan, status, created_at: s.utc })
  .meta({ id: 'Account' });

const control = { module: 'accounts', effect: 'control', cost: 0 } as const;
const example = { account_id: '3f0c1c1e-5f0a-4b53-9d2e-6f6f2b6f7a10' };

export const accounts = {
  'accounts.create': operation({
    summary: 'Create an account',
    description: 'With its first admin key, which is shown this once.',
    ...control,
    once: ['key'],
    http: {
      method: 'POST',
      path: '/api/v1/internal/accounts',
      status: 201,
      location: '/api/v1/internal/accounts/{account_id}',
    },
    cli: { args: ['name'], alias: 'create-account' },
    input: () =>
      z.strictObject({
        name,
        plan: plan.optional(),
        account_id: accountId.optional(),
        empty: z.boolean().default(false).meta({
          description: 'Its log does not begin with its creation, so that an export can be put into it.',
        }),
      }),
    output: () =>
      account
        .extend({
          key_id: z.string(),
          key: z.string().nullable().meta({ description: 'An admin key of the account. It is shown this once.' }),
        })
        .meta({ id: 'NewAccount' }),
    errors: ['unauthenticated', 'conflict'],
    example: () => ({ name: 'Example Ltd', plan: 'free' }),
  }),
  'accounts.list': operation({
    summary: 'List accounts',
    ...control,
    http: { method: 'GET', path: '/api/v1/internal/accounts' },
    cli: { alias: 'accounts' },
    input: () => z.strictObject({ limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ accounts: z.array(account), ...s.page }),
    errors: ['unauthenticated', 'invalid_cursor'],
    example: () => ({}),
  }),
  'accounts.read': operation({
    summary: 'Read an account',
    ...control,
    http: { method: 'GET', path: '/api/v1/internal/accounts/{account_id}' },
    cli: { args: ['account_id'], alias: 'show-account' },
    input: () => z.strictObject({ account_id: accountId }),
    output: () => account,
    errors: ['unauthenticated', 'not_found'],
    example: () => example,
  }),
  'accounts.update': operation({
    summary: 'Change the plan, name or status of an account',
    ...control,
    http: { method: 'PATCH', path: '/api/v1/internal/accounts/{account_id}' },
    cli: { args: ['account_id'], alias: 'update-account' },
    input: () =>
      z.strictObject({
        account_id: accountId,
        name: name.optional(),
        plan: plan.optional(),
        status: status.optional(),
      }),
    output: () => account,
    errors: ['unauthenticated', 'not_found'],
    example: () => ({ ...example, plan: 'pro' }),
  }),
  'accounts.export': listing({
    summary: 'Export an account as a whole',
    description:
      'As `transfer.export` does for an admin of the account. Once the last line was taken, the account may be deleted as it is.',
    ...control,
    needs_notes: 'of the whole account',
    // Reads every table in pages, so that memory holds no more than the client has taken.
    items_per_statement: 100,
    http: { method: 'GET', path: '/api/v1/internal/accounts/{account_id}/export' },
    cli: { args: ['account_id'], alias: 'export-account' },
    input: () => z.strictObject({ account_id: accountId }),
    output: () => exportLine,
    errors: ['unauthenticated', 'not_found', 'module_not_installed'],
    example: () => example,
  }),
  'accounts.delete': operation({
    summary: 'Delete an account with everything in it',
    description:
      'Refused unless the account was exported by `accounts.export` and has not changed since, so suspend it first. Its keys ' +
      'stop at once, within five seconds on other servers; its data is removed soon after, a little at a time, and ' +
      '`purged_at` is when the last of it was removed. The id is never used again.',
    ...control,
    http: { method: 'DELETE', path: '/api/v1/internal/accounts/{account_id}' },
    cli: { args: ['account_id'], alias: 'delete-account' },
    input: () =>
      z.strictObject({
        account_id: accountId,
        force: z.boolean().default(false).meta({ description: 'Even if it was not exported. Needs its name.' }),
        name: s.label(256).optional().meta({ description: 'The name of the account, to be sure.' }),
      }),
    output: () =>
      z
        .object({
          account_id: accountId,
          status: z.literal('deleted'),
          deleted_at: s.utc,
          purged_at: s.utc.nullable().meta({ description: 'When the last of its data was removed.' }),
        })
        .meta({ id: 'DeletedAccount' }),
    errors: ['unauthenticated', 'not_found', 'conflict', 'module_not_installed'],
    example: () => example,
  }),
  'accounts.create_key': operation({
    summary: 'Make an admin key for an account',
    description: 'For an account whose own admin keys are lost. It is shown this once.',
    ...control,
    once: ['key'],
    http: { method: 'POST', path: '/api/v1/internal/accounts/{account_id}/api-keys', status: 201 },
    cli: { args: ['account_id'], alias: 'create-account-key' },
    input: () => z.strictObject({ account_id: accountId, name: s.label(128).default('admin') }),
    output: () => z.object({ account_id: accountId, key_id: z.string(), key: z.string().nullable() }),
    errors: ['unauthenticated', 'not_found'],
    example: () => example,
  }),
};
