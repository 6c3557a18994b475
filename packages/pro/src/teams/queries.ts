import {
  andAll,
  type FirstRows,
  fragment,
  type Insert,
  type MemberRole,
  type Query,
  sql,
  type Transaction,
} from '@mem-service/server/module';

export type TeamRow = {
  account_id: string;
  team_id: string;
  name: string;
  slug: string;
  description: string;
  member_count: number;
  /** Members who were removed. */
  removed_count: number;
  created_at: number;
  updated_at: number;
};

export const insertTeam: Insert = {
  table: 'teams',
  columns: {
    account_id: 'text',
    team_id: 'text',
    name: 'text',
    slug: 'text',
    description: 'text',
    member_count: 'int',
    removed_count: 'int',
    created_at: 'int',
    updated_at: 'int',
  },
};

export type MemberRow = {
  account_id: string;
  member_id: string;
  team_id: string;
  email: string;
  display_name: string;
  role: MemberRole;
  created_at: number;
  updated_at: number;
  removed_at: number | null;
  removed_by: string | null;
};

export const insertMember: Insert = {
  table: 'members',
  columns: {
    account_id: 'text',
    member_id: 'text',
    team_id: 'text',
    email: 'text',
    display_name: 'text',
    role: 'text',
    created_at: 'int',
    updated_at: 'int',
    removed_at: 'int',
    removed_by: 'text',
  },
};

const TEAM = fragment(Object.keys(insertTeam.columns).join(', '));
const MEMBER = fragment(Object.keys(insertMember.columns).join(', '));

export function getTeam(query: Query, accountId: string, teamId: string): Promise<TeamRow | undefined> {
  return query.get(sql`SELECT ${TEAM} FROM teams WHERE account_id = ${accountId} AND team_id = ${teamId}`);
}

export function getTeamBySlug(query: Query, accountId: string, slug: string): Promise<TeamRow | undefined> {
  return query.get(sql`SELECT ${TEAM} FROM teams WHERE account_id = ${accountId} AND slug = ${slug}`);
}

/** By its id or its slug. */
export async function findTeam(query: Query, accountId: string, idOrSlug: string): Promise<TeamRow | undefined> {
  return (await getTeam(query, accountId, idOrSlug)) ?? getTeamBySlug(query, accountId, idOrSlug);
}

export type TeamPage = { account_id: string; slug: string | undefined; before: string; limit: number; bytes: number };

/** Newest first: ids sort by time. */
export function listTeams(query: Query, page: TeamPage): Promise<FirstRows<TeamRow>> {
  const { account_id, slug, before, limit, bytes } = page;
  const named = slug === undefined ? [] : [sql`slug = ${slug}`];
  return query.first(
    sql`SELECT ${TEAM} FROM teams WHERE account_id = ${account_id} AND team_id < ${before}${andAll(named)}
        ORDER BY team_id DESC LIMIT ${limit}`,
    { columns: ['name', 'description'], bytes },
  );
}

/** Whether an account has at least this many. */
export async function hasTeams(query: Query, accountId: string, count: number): Promise<boolean> {
  const found = await query.get(
    sql`SELECT team_id FROM teams WHERE account_id = ${accountId} ORDER BY team_id LIMIT 1 OFFSET ${count - 1}`,
  );
  return found !== undefined;
}

export function updateTeam(tx: Transaction, row: TeamRow): Promise<number> {
  return tx.run(
    sql`UPDATE teams SET name = ${row.name}, slug = ${row.slug}, description = ${row.description},
          member_count = ${row.member_count}, removed_count = ${row.removed_count}, updated_at = ${row.updated_at}
        WHERE account_id = ${row.account_id} AND team_id = ${row.team_id}`,
  );
}

export function deleteTeam(tx: Transaction, accountId: string, teamId: string): Promise<number> {
  return tx.run(sql`DELETE FROM teams WHERE account_id = ${accountId} AND team_id = ${teamId}`);
}

export function getMember(query: Query, accountId: string, memberId: string): Promise<MemberRow | undefined> {
  return query.get(sql`SELECT ${MEMBER} FROM members WHERE account_id = ${accountId} AND member_id = ${memberId}`);
}

type MemberAddress = { account_id: string; team_id: string; email: string };

export function getMemberByEmail(query: Query, { account_id, team_id, email }: MemberAddress) {
  return query.get<MemberRow>(
    sql`SELECT ${MEMBER} FROM members WHERE account_id = ${account_id} AND team_id = ${team_id} AND email = ${email}`,
  );
}

/** One of the memberships of a person, whichever team it is in. */
export function findPerson(query: Query, accountId: string, email: string): Promise<MemberRow | undefined> {
  return query.get(
    sql`SELECT ${MEMBER} FROM members WHERE account_id = ${accountId} AND email = ${email} AND removed_at IS NULL LIMIT 1`,
  );
}

export type MemberPage = {
  account_id: string;
  team_id: string;
  email: string | undefined;
  include_removed: boolean;
  before: string;
  limit: number;
  bytes: number;
};

export function listMembers(query: Query, page: MemberPage): Promise<FirstRows<MemberRow>> {
  const { account_id, team_id, email, include_removed, before, limit, bytes } = page;
  const wanted = [
    ...(email === undefined ? [] : [sql`email = ${email}`]),
    ...(include_removed ? [] : [sql`removed_at IS NULL`]),
  ];
  return query.first(
    sql`SELECT ${MEMBER} FROM members
        WHERE account_id = ${account_id} AND team_id = ${team_id} AND member_id < ${before}${andAll(wanted)}
        ORDER BY member_id DESC LIMIT ${limit}`,
    { columns: ['email', 'display_name'], bytes },
  );
}

export function listMembersOf(query: Query, accountId: string, teamId: string): Promise<MemberRow[]> {
  return query.all(sql`SELECT ${MEMBER} FROM members WHERE account_id = ${accountId} AND team_id = ${teamId}`);
}

export function updateMember(tx: Transaction, row: MemberRow): Promise<number> {
  return tx.run(
    sql`UPDATE members SET display_name = ${row.display_name}, role = ${row.role}, updated_at = ${row.updated_at},
          removed_at = ${row.removed_at}, removed_by = ${row.removed_by}
        WHERE account_id = ${row.account_id} AND member_id = ${row.member_id}`,
  );
}

export function deleteMembers(tx: Transaction, accountId: string, teamId: string): Promise<number> {
  return tx.run(sql`DELETE FROM members WHERE account_id = ${accountId} AND team_id = ${teamId}`);
}
