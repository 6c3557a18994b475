import * as z from 'zod';
import { nth, operation } from '../operation.ts';
import * as s from '../shapes.ts';
import { email, memberId, memberRole, teamId, teamSlug } from '../team-shapes.ts';

const name = s.label(128).meta({ description: 'What people call the team.', examples: ['Payments'] });
const description = s.text(4096);

const team = z
  .object({
    team_id: teamId,
    name,
    slug: teamSlug,
    description: z.string(),
    member_count: z.int().meta({ description: 'Without those who were removed.' }),
    created_at: s.utc,
    updated_at: s.utc,
  })
  .meta({ id: 'Team' });

const displayName = s.text(256).meta({ description: 'What people call the member.', examples: ['Ada'] });

const member = z
  .object({
    member_id: memberId,
    team_id: teamId,
    email,
    display_name: z.string(),
    role: memberRole,
    created_at: s.utc,
    updated_at: s.utc,
    removed_at: s.utc.nullable(),
    removed_by: z
      .string()
      .nullable()
      .meta({ description: 'The key that removed the member, or what stood in for one.' }),
  })
  .meta({ id: 'Member', description: 'A person in a team.' });

const admin = { module: 'teams', admin: true, whole: true } as const;
const ofTeam = '/api/v1/admin/teams/{team_id}';
const ofMember = `${ofTeam}/members/{member_id}`;
const TEAM = '01k0a4g3v5x7y9z1b3d5f7h9jk';
const MEMBER = '01k0a4g3v5x7y9z1b3d5f7h9jm';

export const teams = {
  'teams.list': operation({
    summary: 'List teams',
    description: 'Newest first.',
    ...admin,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/admin/teams' },
    cli: { alias: 'teams' },
    input: () =>
      z.strictObject({
        slug: teamSlug.optional().meta({ description: 'Only the team with this slug.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ teams: z.array(team), ...s.page }),
    errors: ['forbidden', 'invalid_cursor', 'module_not_installed'],
    example: () => ({}),
  }),
  'teams.create': operation({
    summary: 'Create a team',
    description: 'A slug is taken once in an account. An account has at most 1,000 teams.',
    ...admin,
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: '/api/v1/admin/teams', status: 201, location: '/api/v1/admin/teams?slug={slug}' },
    cli: { args: ['name', 'slug'], alias: 'create-team' },
    input: () => z.strictObject({ name, slug: teamSlug, description: description.default('') }),
    output: () => team,
    errors: ['forbidden', 'conflict', 'over_limit', 'module_not_installed'],
    example: (n) => ({ name: 'Payments', slug: nth('payments', n), description: 'who runs the checkout' }),
  }),
  'teams.update': operation({
    summary: 'Change a team',
    description: 'Only what is given is changed.',
    ...admin,
    effect: 'write',
    cost: 2,
    http: { method: 'PATCH', path: ofTeam },
    cli: { args: ['team_id'], alias: 'update-team' },
    input: () =>
      z.strictObject({
        team_id: teamId,
        name: name.optional(),
        slug: teamSlug.optional(),
        description: description.optional(),
      }),
    output: () => team,
    errors: ['forbidden', 'not_found', 'conflict', 'over_limit', 'module_not_installed'],
    example: () => ({ team_id: TEAM, name: 'Payments and refunds' }),
  }),
  'members.list': operation({
    summary: 'List the members of a team',
    description: 'Newest first.',
    ...admin,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: `${ofTeam}/members` },
    cli: { args: ['team_id'], alias: 'members' },
    input: () =>
      z.strictObject({
        team_id: teamId,
        email: email.optional().meta({ description: 'Only the member with this address.' }),
        include_removed: z.boolean().default(false).meta({ description: 'Also members who were removed.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ members: z.array(member), ...s.page }),
    errors: ['forbidden', 'not_found', 'invalid_cursor', 'module_not_installed'],
    example: () => ({ team_id: TEAM }),
  }),
  'members.add': operation({
    summary: 'Add a member to a team',
    description:
      'Someone who was removed is reinstated, with the keys that belong to the member. A team has at most 1,000 members, ' +
      'those included that were removed.',
    ...admin,
    effect: 'write',
    cost: 2,
    http: {
      method: 'POST',
      path: `${ofTeam}/members`,
      status: 201,
      location: `${ofTeam}/members?email={email}`,
    },
    cli: { args: ['team_id', 'email'], alias: 'add-member' },
    input: () =>
      z.strictObject({
        team_id: teamId,
        email,
        display_name: displayName.default(''),
        role: memberRole.default('developer'),
      }),
    output: () => member,
    errors: ['forbidden', 'not_found', 'conflict', 'over_limit', 'module_not_installed'],
    example: (n) => ({ team_id: TEAM, email: `${nth('ada', n)}@example.com`, display_name: 'Ada' }),
  }),
  'members.update': operation({
    summary: 'Change a member of a team',
    description: 'Only what is given is changed. The keys of the member follow a change of role at once.',
    ...admin,
    effect: 'write',
    cost: 2,
    http: { method: 'PATCH', path: ofMember },
    cli: { args: ['team_id', 'member_id'], alias: 'update-member' },
    input: () =>
      z.strictObject({
        team_id: teamId,
        member_id: memberId,
        role: memberRole.optional(),
        display_name: displayName.optional(),
      }),
    output: () => member,
    errors: ['forbidden', 'not_found', 'conflict', 'over_limit', 'module_not_installed'],
    example: () => ({ team_id: TEAM, member_id: MEMBER, role: 'viewer' as const }),
  }),
  'members.remove': operation({
    summary: 'Remove a member from a team',
    description:
      'The keys of the member stop working: at once on this server, and within five seconds on every other. The member ' +
      'can be reinstated.',
    ...admin,
    effect: 'write',
    cost: 2,
    removes: 'members.add',
    http: { method: 'DELETE', path: ofMember },
    cli: { args: ['team_id', 'member_id'], alias: 'remove-member' },
    input: () => z.strictObject({ team_id: teamId, member_id: memberId }),
    output: () => member,
    errors: ['forbidden', 'not_found', 'module_not_installed'],
    example: () => ({ team_id: TEAM, member_id: MEMBER }),
  }),
  'members.reinstate': operation({
    summary: 'Reinstate a member of a team',
    description: 'The keys of the member work again, unless they were revoked or have expired.',
    ...admin,
    effect: 'write',
    cost: 2,
    http: { method: 'POST', path: `${ofMember}/reinstate` },
    cli: { args: ['team_id', 'member_id'], alias: 'reinstate-member' },
    input: () => z.strictObject({ team_id: teamId, member_id: memberId }),
    output: () => member,
    errors: ['forbidden', 'not_found', 'module_not_installed'],
    example: () => ({ team_id: TEAM, member_id: MEMBER }),
  }),

  'teams.delete': operation({
    summary: 'Delete a team',
    description: 'With its members, for good: their keys stop working, and what was granted to the team is gone.',
    ...admin,
    effect: 'write',
    cost: 2,
    removes: 'teams.create',
    http: { method: 'DELETE', path: ofTeam },
    cli: { args: ['team_id'], alias: 'delete-team' },
    input: () => z.strictObject({ team_id: teamId }),
    output: () => z.object({ team_id: teamId, deleted: z.literal(true) }),
    errors: ['forbidden', 'not_found', 'module_not_installed'],
    example: () => ({ team_id: TEAM }),
  }),
};
