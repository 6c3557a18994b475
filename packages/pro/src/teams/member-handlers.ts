import {
  type Caller,
  changed,
  changeMemberKeys,
  cursorsOf,
  cutPage,
  Fault,
  type Handlers,
  hashedBy,
  looksAt,
  pageBytes,
  reads,
  storeMore,
  unchanged,
  type Work,
  type WriteResult,
  withinPage,
  writes,
} from '@mem-service/server/module';
import { bytesOfMember, toMember } from './answers.ts';
import { emitTeamEvent } from './events.ts';
import * as queries from './queries.ts';
import { noTeam, PAST_ALL, requireTeam } from './team-handlers.ts';

const MAX_MEMBERS = 1000;

const cursors = cursorsOf('members', ['string']);

const list = reads<'members.list'>(async ({ read, caller, services }, { limit, cursor, ...wanted }) => {
  const { account_id } = caller;
  if (!(await queries.getTeam(read, account_id, wanted.team_id))) throw noTeam(wanted.team_id);
  const [before] = cursor === undefined ? [PAST_ALL] : cursors.from(cursor);
  const bytes = pageBytes(services);
  const { team_id, email, include_removed } = wanted;
  const page = { account_id, team_id, email, include_removed, before, limit: limit + 1, bytes };
  const rows = await queries.listMembers(read, page);
  const found = withinPage(services, rows, ({ email, display_name }) => [email, display_name]);
  const { items, ...rest } = cutPage(found, limit, ({ member_id }) => cursors.to([member_id]));
  return { members: items.map(toMember), ...rest };
});

type Answered = WriteResult<ReturnType<typeof toMember>>;
type MemberEvent = 'member_added' | 'member_updated' | 'member_removed' | 'member_reinstated';

function answered(
  work: Work,
  caller: Caller,
  { row, event_type }: { row: queries.MemberRow; event_type: MemberEvent },
): Answered {
  const { member_id, team_id, role } = row;
  emitTeamEvent(work, caller, { event_type, details: { team_id, member_id, role } });
  const member = toMember(row);
  return changed(member, { resource: `${team_id}/${member_id}`, ...hashedBy(member) });
}

const add = writes<'members.add'>(async (work, { input, caller }) => {
  const { account_id, now, tx } = work;
  const { team_id, email } = input;
  const team = await requireTeam(work, team_id);
  const known = await queries.getMemberByEmail(tx, { account_id, team_id, email });
  if (known) {
    if (known.removed_at === null) throw new Fault('conflict', `${email} is a member of the team already`, { email });
    const display_name = input.display_name === '' ? known.display_name : input.display_name;
    const row = { ...known, display_name, role: input.role };
    storeMore(work, bytesOfMember(row) - bytesOfMember(known));
    return reinstated(work, caller, row);
  }
  if (team.member_count + team.removed_count >= MAX_MEMBERS)
    throw new Fault('conflict', `the team has ${MAX_MEMBERS} members, and can have no more`, {
      max_members: MAX_MEMBERS,
    });
  const made = { member_id: work.services.ids.next(now), created_at: now, updated_at: now };
  const row: queries.MemberRow = { account_id, ...made, ...input, removed_at: null, removed_by: null };
  storeMore(work, bytesOfMember(row));
  await queries.updateTeam(tx, { ...team, member_count: team.member_count + 1 });
  work.send(tx.insertMany(queries.insertMember, [row]));
  return answered(work, caller, { row, event_type: 'member_added' });
});

async function requireMember(
  { tx, account_id }: Work,
  { team_id, member_id }: { team_id: string; member_id: string },
): Promise<queries.MemberRow> {
  const row = await queries.getMember(tx, account_id, member_id);
  if (row?.team_id === team_id) return row;
  throw new Fault('not_found', `there is no member ${member_id} in the team ${team_id}`, { team_id, member_id });
}

const update = writes<'members.update'>(async (work, { input, caller }) => {
  const row = await requireMember(work, input);
  const { role = row.role, display_name = row.display_name } = input;
  if (role === row.role && display_name === row.display_name) return unchanged(toMember(row));
  if (row.removed_at !== null)
    throw new Fault('conflict', `the member ${row.member_id} was removed: reinstate the member first`);
  const next = { ...row, role, display_name, updated_at: work.now };
  storeMore(work, bytesOfMember(next) - bytesOfMember(row));
  await queries.updateMember(work.tx, next);
  if (role !== row.role) await changeMemberKeys(work, [row.member_id], { member_role: role });
  return answered(work, caller, { row: next, event_type: 'member_updated' });
});

const remove = writes<'members.remove'>(async (work, { input, caller }) => {
  const row = await requireMember(work, input);
  if (row.removed_at !== null) return unchanged(toMember(row));
  const { tx, now } = work;
  const next = { ...row, removed_at: now, removed_by: caller.actor, updated_at: now };
  await moveCount(work, row.team_id, -1);
  await queries.updateMember(tx, next);
  await changeMemberKeys(work, [row.member_id], { suspended_at: now });
  return answered(work, caller, { row: next, event_type: 'member_removed' });
});

/** Counts a member among the removed ones, or no longer. */
async function moveCount(work: Work, teamId: string, by: 1 | -1): Promise<void> {
  const team = await requireTeam(work, teamId);
  const { member_count, removed_count } = team;
  await queries.updateTeam(work.tx, { ...team, member_count: member_count + by, removed_count: removed_count - by });
}

const reinstate = writes<'members.reinstate'>(async (work, { input, caller }) => {
  const row = await requireMember(work, input);
  return row.removed_at === null ? unchanged(toMember(row)) : reinstated(work, caller, row);
});

async function reinstated(work: Work, caller: Caller, row: queries.MemberRow): Promise<Answered> {
  const { member_id, role } = row;
  const next = { ...row, removed_at: null, removed_by: null, updated_at: work.now };
  await moveCount(work, row.team_id, 1);
  await queries.updateMember(work.tx, next);
  await changeMemberKeys(work, [member_id], { member_role: role, suspended_at: null });
  return answered(work, caller, { row: next, event_type: 'member_reinstated' });
}

export const memberHandlers: Handlers = {
  'members.list': looksAt(({ team_id }) => team_id, list),
  'members.add': add,
  'members.update': update,
  'members.remove': remove,
  'members.reinstate': reinstate,
};
