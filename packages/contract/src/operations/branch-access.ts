import * as z from 'zod';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';

const name = s.label(200).meta({ description: 'The name of the branch.', examples: ['experiment/retries'] });

const granteeType = z.enum(['user', 'team', 'api_key']).meta({ description: 'Who is granted access.' });

const granteeId = s.label(254).meta({
  description: 'The e-mail address of a member of a team, the id or the slug of a team, or the id of a key.',
  examples: ['01k0a4g3v5x7y9z1b3d5f7h9jk'],
});

const permission = z
  .enum(['read', 'read_write'])
  .meta({ description: '`read` is for reading, `read_write` for reading and writing.' });

const grant = z
  .object({
    branch: name,
    grantee_type: granteeType,
    grantee_id: z.string().meta({
      description:
        'An e-mail address in small letters, the id of a team, or the id of a key: of the first one, if it was rotated.',
    }),
    permission,
    granted_by: z.string().meta({ description: 'The key that granted it, or what stood in for one.' }),
    granted_at: s.utc,
  })
  .meta({ id: 'BranchGrant' });

const GRANTS = '/api/v1/branches/{name}/access';
const module = { module: 'access', cost: 2 } as const;
const KEY = { grantee_type: 'api_key' as const, grantee_id: '01k0a4g3v5x7y9z1b3d5f7h9jk' };

export const branchAccess = {
  'access.grant': operation({
    summary: 'Grant access to a branch',
    description:
      'A key of an account needs a grant for every branch but `main`, unless it created the branch or is of the type ' +
      'admin; these two may grant. A grant to a user or a team is one to the keys of the members. Granting again ' +
      'overwrites. A branch has at most 1,000 grants, an account 10,000.',
    ...module,
    effect: 'write',
    open_to_all: true,
    branches_in: { name: 'read' },
    http: { method: 'POST', path: GRANTS, status: 201 },
    cli: { args: ['name', 'grantee_type', 'grantee_id', 'permission'], alias: 'grant-access' },
    input: () =>
      z.strictObject({
        name,
        grantee_type: granteeType,
        grantee_id: granteeId,
        permission: permission.default('read'),
      }),
    output: () => grant,
    errors: ['branch_not_found', 'branch_access_denied', 'not_found', 'conflict', 'module_not_installed'],
    example: (n) => ({ name: nth('experiment/retries', n), ...KEY, permission: 'read_write' as const }),
  }),

  'access.list': operation({
    summary: 'List who has access to a branch',
    description: 'The grants, by type and id of the grantee. Its creator and admins have access without one.',
    ...module,
    cost: 1,
    effect: 'read',
    branches_in: { name: 'read' },
    http: { method: 'GET', path: GRANTS },
    cli: { args: ['name'], alias: 'access' },
    input: () => z.strictObject({ name, limit: s.limit, cursor: s.cursor }),
    output: () => z.object({ grants: z.array(grant), ...s.page }),
    errors: ['branch_not_found', 'branch_access_denied', 'invalid_cursor', 'module_not_installed'],
    example: () => ({ name: 'experiment/retries' }),
  }),

  'access.revoke': operation({
    summary: 'Revoke access to a branch',
    description:
      'At once on this server, and within five seconds on every other. Open streams of the branch end at this place in ' +
      'the log, on every server.',
    ...module,
    effect: 'write',
    open_to_all: true,
    branches_in: { name: 'read' },
    removes: 'access.grant',
    http: { method: 'DELETE', path: `${GRANTS}/{grantee_type}/{grantee_id}` },
    cli: { args: ['name', 'grantee_type', 'grantee_id'], alias: 'revoke-access' },
    input: () => z.strictObject({ name, grantee_type: granteeType, grantee_id: granteeId }),
    output: () => grant,
    errors: ['branch_not_found', 'branch_access_denied', 'not_found', 'module_not_installed'],
    example: () => ({ name: 'experiment/retries', ...KEY }),
  }),
};
