import {
  addStored,
  changed,
  changeMemberKeys,
  cursorsOf,
  cutPage,
  Fault,
  type Handlers,
  hashedBy,
  looksAt,
  maybeLarge,
  pageBytes,
  reads,
  storeMore,
  unchanged,
  WHOLE_ACCOUNT,
  type Work,
  withinPage,
  writes,
} from '@mem-service/server/module';
import { endGrantsOfTeam } from '../access/end-grants.ts';
import { bytesOfMember, bytesOfTeam, toTeam } from './answers.ts';
import { emitTeamEvent } from './events.ts';
import * as queries from './queries.ts';

const MAX_TEAMS = 1000;
/** A team with more members is deleted in a transaction of its own, off the main thread. */
const FEW_MEMBERS = 20;

const cursors = cursorsOf('teams', ['string']);
export const PAST_ALL = '~';

const list = reads<'teams.list'>(async ({ read, caller, services }, { slug, limit, cursor }) => {
  const [before] = cursor === undefined ? [PAST_ALL] : cursors.from(cursor);
  const { account_id } = caller;
  const bytes = pageBytes(services);
  const rows = await queries.listTeams(read, { account_id, slug, before, limit: limit + 1, bytes });
  const found = withinPage(services, rows, ({ name, description }) => [name, description]);
  const { items, ...page } = cutPage(found, limit, ({ team_id }) => cursors.to([team_id]));
  return { teams: items.map(toTeam), ...page };
});

const create = writes<'teams.create'>(async (work, { input, caller }) => {
  const { account_id, now } = work;
  if (await queries.hasTeams(work.tx, account_id, MAX_TEAMS))
    throw new Fault('conflict', `the account has ${MAX_TEAMS} teams, and can have no more`, { max_teams: MAX_TEAMS });
  await refuseTakenSlug(work, input.slug);
  const team_id = work.services.ids.next(now);
  const counts = { member_count: 0, removed_count: 0 };
  const row: queries.TeamRow = { account_id, team_id, ...input, ...counts, created_at: now, updated_at: now };
  storeMore(work, bytesOfTeam(row));
  work.send(work.tx.insertMany(queries.insertTeam, [row]));
  emitTeamEvent(work, caller, { event_type: 'team_created', details: { team_id, slug: row.slug } });
  const team = toTeam(row);
  return changed(team, { resource: team_id, ...hashedBy(team) });
});

async function refuseTakenSlug(work: Work, slug: string): Promise<void> {
  if (await queries.getTeamBySlug(work.tx, work.account_id, slug))
    throw new Fault('conflict', `there is a team with the slug ${slug} already`, { slug });
}

export async function requireTeam(
  { tx, account_id }: Pick<Work, 'tx' | 'account_id'>,
  teamId: string,
): Promise<queries.TeamRow> {
  const row = await queries.getTeam(tx, account_id, teamId);
  if (row) return row;
  throw noTeam(teamId);
}

export const noTeam = (team_id: string): Fault => new Fault('not_found', `there is no team ${team_id}`, { team_id });

const update = writes<'teams.update'>(async (work, { input, caller }) => {
  const row = await requireTeam(work, input.team_id);
  const { name = row.name, slug = row.slug, description = row.description } = input;
  if (name === row.name && slug === row.slug && description === row.description) return unchanged(toTeam(row));
  if (slug !== row.slug) await refuseTakenSlug(work, slug);
  const next = { ...row, name, slug, description, updated_at: work.now };
  storeMore(work, bytesOfTeam(next) - bytesOfTeam(row));
  await queries.updateTeam(work.tx, next);
  emitTeamEvent(work, caller, { event_type: 'team_updated', details: { team_id: row.team_id, slug } });
  const team = toTeam(next);
  return changed(team, { resource: row.team_id, ...hashedBy(team) });
});

const remove = writes<'teams.delete'>(async (work, { input, caller }) => {
  const row = await requireTeam(work, input.team_id);
  const { account_id, tx } = work;
  const { team_id, slug } = row;
  const members = await queries.listMembersOf(tx, account_id, team_id);
  await changeMemberKeys(
    work,
    members.map(({ member_id }) => member_id),
    { suspended_at: work.now },
  );
  const freed = members.reduce((sum, member) => sum + bytesOfMember(member), bytesOfTeam(row));
  addStored(work, { storage_bytes: -freed });
  await endGrantsOfTeam(work, team_id);
  await queries.deleteMembers(tx, account_id, team_id);
  await queries.deleteTeam(tx, account_id, team_id);
  emitTeamEvent(work, caller, { event_type: 'team_deleted', details: { team_id, slug } });
  const answer = { team_id, deleted: true as const };
  return changed(answer, { resource: team_id, ...hashedBy(answer) });
});

const isLarge: Parameters<typeof maybeLarge<'teams.delete'>>[0] = async ({ database }, { team_id }, { account_id }) => {
  const team = await queries.getTeam(database.forAccount(account_id).read, account_id, team_id);
  return team !== undefined && team.member_count > FEW_MEMBERS;
};

export const teamHandlers: Handlers = {
  'teams.list': looksAt(() => WHOLE_ACCOUNT, list),
  'teams.create': create,
  'teams.update': update,
  'teams.delete': maybeLarge(isLarge, remove),
};
