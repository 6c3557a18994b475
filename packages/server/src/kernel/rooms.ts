import {
  type Fault,
  type Glob,
  invalidInput,
  type Operation,
  type OperationName,
  operations,
  roomShapes,
} from '@mem-service/contract';
import type { Database } from '../db/index.ts';
import { missingScope } from './authorize-scope.ts';
import type { AccessWatch } from './branch-access.ts';
import type { Caller } from './caller.ts';
import { HookContext } from './hooks.ts';
import { hasStoredAnswer, type JobResult } from './idempotency.ts';
import type { QueuedWrite } from './lanes.ts';
import type { Services } from './module.ts';
import { pathsNamedIn, roomPathsIn } from './named-paths.ts';
import { scopeCovers } from './scope.ts';
import type { Work } from './work.ts';

/** As which member of a room a call runs. Its account is that of the room. */
export type RoomMember = {
  room_id: string;
  /** The caller's own account, which pays. */
  home_account_id: string;
  /** What that account is called in the room. */
  label: string;
  role: 'owner' | 'member';
  /** The agent as its own account calls it. In the room it is the caller's `agent_id`. */
  agent_id: string;
  has_joined: boolean;
  /** Who may do this: agents that have joined, or every agent of the account. */
  needs: 'agent' | 'account';
};

export type RoomRequest = Pick<RoomMember, 'room_id' | 'agent_id' | 'needs'>;
type RoomCall = { input: NamedInput; caller: Caller };

/** Offered by the module that has the rooms. */
export type RoomHook = {
  /** The caller as a member of the room. Throws `room_not_found` for every room that its account is not in. */
  enter(asked: RoomRequest, context: HookContext): Promise<RoomMember>;
  /** The caller as the member that its account was, or is. */
  findFormer(asked: RoomRequest, context: HookContext): Promise<RoomMember | undefined>;
  /** Throws where a member may not write, by this operation, at paths of the room. */
  authorizeWrite(name: OperationName, paths: readonly string[], member: RoomMember): void;
  /** Why each of them may no longer do what it needs, now that the account of the room is locked; undefined where it may. */
  refusals(work: Work, members: readonly RoomMember[]): Promise<readonly (Fault | undefined)[]>;
  /** Types of events that may end the access of a member. */
  ended_by: ReadonlySet<string>;
  /** The account that made the room of an account; undefined where there is none. */
  ownerOf(roomAccount: string, database: Database): Promise<string | undefined>;
  /** The accounts of the rooms that an account made, closed or not, until they are deleted. */
  listOwned(accountId: string, database: Database): Promise<readonly string[]>;
  /** Throws where a member has no access any more. */
  requireStay(member: RoomMember, services: Services): Promise<void>;
};

/** The account that a room is. */
export const accountOfRoom = (roomId: string): string => roomShapes.ROOM_ACCOUNT + roomId;
export const isRoomAccount = (accountId: string): boolean => accountId.startsWith(roomShapes.ROOM_ACCOUNT);

type NamedInput = Record<string, unknown>;

const pathOf = (glob: Glob): string => ('path' in glob ? glob.path : 'base' in glob ? glob.base : '');

function roomOf(glob: Glob): string | undefined {
  const [first = ''] = pathOf(glob).split('/', 1);
  return first.startsWith(roomShapes.ROOM_SIGN) ? first.slice(roomShapes.ROOM_SIGN.length) : undefined;
}

/** The room that a call is about; undefined for a call within the caller's own account. */
export function roomNamedIn(name: OperationName, input: NamedInput): string | undefined {
  const { in_room, grants_paths } = operations[name] as Operation;
  if (in_room === 'agent' || in_room === 'account') return input.room_id as string;
  if (grants_paths) return undefined;
  const [first] = roomPathsIn(name, input);
  if (!first) return undefined;
  const room = roomOf(first.glob) as string;
  if (in_room === undefined) throw misplaced(pathOf(first.glob), `${name} does not work at paths of rooms`);
  const other = pathsNamedIn(name, input).find(({ glob }) => roomOf(glob) !== room);
  if (other) throw misplaced(pathOf(other.glob), `all paths of a call must be of the room ${room}, or of none`);
  return room;
}

const misplaced = (path: string, message: string): Fault =>
  invalidInput([{ path: 'entity_path', message: `${path}: ${message}` }]);

/** A key that is limited to paths needs all those of a room to do what names none of them. */
export function authorizeInRoom(name: OperationName, roomId: string, { key }: Caller): void {
  const { effect, in_room } = operations[name] as Operation;
  if (!key || in_room === 'paths') return;
  const [permission, scope] = effect === 'write' ? (['WRITE', key.write] as const) : (['READ', key.read] as const);
  const glob: Glob = { kind: 'below', base: roomShapes.ROOM_SIGN + roomId };
  if (!scopeCovers(scope, glob)) throw missingScope(permission, glob);
}

/** As which member of the room the call runs. */
export async function enterRoom(
  { rooms, services }: { rooms: RoomHook; services: Services },
  name: OperationName,
  { room, ...call }: RoomCall & { room: string },
): Promise<RoomMember> {
  const { caller } = call;
  const asked = askedOf(name, room, call);
  const context = new HookContext(services, caller);
  const { ends_access } = operations[name] as Operation;
  if (!ends_access || caller.idempotency_key === undefined) return rooms.enter(asked, context);
  try {
    return await rooms.enter(asked, context);
  } catch (error) {
    // What it repeats may have ended its access. The committer refuses it if it is another request.
    const former = await rooms.findFormer(asked, context);
    if (former && (await hasStoredAnswer(services, callerInRoom(caller, former)))) return former;
    throw error;
  }
}

/** Asks the room about the paths that a write names in it. */
export function authorizeWriteInRoom(
  rooms: RoomHook,
  name: OperationName,
  { input, member }: { input: NamedInput; member: RoomMember },
): void {
  const { effect, in_room } = operations[name] as Operation;
  if (effect !== 'write' || in_room !== 'paths') return;
  const paths = pathsNamedIn(name, input).map(({ glob }) => pathOf(glob));
  rooms.authorizeWrite(name, paths, member);
}

/** What to ask the room for: as whom the call acts, and what it needs. */
function askedOf(name: OperationName, room_id: string, { input, caller }: RoomCall): RoomRequest {
  const { effect, acts_as_agent, in_room } = operations[name] as Operation;
  const named = effect === 'write' || acts_as_agent ? (input.agent_id as string | undefined) : undefined;
  const needs = in_room === 'account' ? ('account' as const) : ('agent' as const);
  return { room_id, agent_id: named ?? caller.agent_id, needs };
}

/** The agent as the room calls it. Labels have no `@`, so that no two agents have one name. */
export const agentInRoom = ({ agent_id, label }: Pick<RoomMember, 'agent_id' | 'label'>): string =>
  `${agent_id}${roomShapes.ROOM_SIGN}${label}`;

/**
 * The caller in the account of the room. Its key keeps its paths; agents and branches that it is bound to are those of its own
 * account, and were checked there. It shares no sessions: those of other accounts would be among them.
 */
export function callerInRoom({ branch: _, ...caller }: Caller, room: RoomMember): Caller {
  const { key } = caller;
  const { agent_ids: _agents, default_branch: _branch, shares_sessions: _shares, ...open } = key ?? { key_id: '' };
  return {
    ...caller,
    account_id: accountOfRoom(room.room_id),
    agent_id: agentInRoom(room),
    key: key && (open as typeof key),
    room,
    is_prepaid: true,
  };
}

/** The input with the caller's agent as the room calls it. */
export const inputInRoom = <I extends NamedInput>(input: I, room: RoomMember): I =>
  input.agent_id === room.agent_id ? { ...input, agent_id: agentInRoom(room) } : input;

/** A watch for a stream of a room: it ends with the event that ends the access of its reader. */
export const watchRoom = (hook: RoomHook, services: Services, member: RoomMember): AccessWatch => ({
  isDue: ({ event_type }) => hook.ended_by.has(event_type),
  check: () => hook.requireStay(member, services),
});

type FinishJob = (job: QueuedWrite, result: JobResult) => void;

/** Refuses writes of members who left the room since they were admitted. Returns those that may run. */
export const stayingWith =
  (hook: RoomHook | undefined) =>
  async (work: Work, jobs: readonly QueuedWrite[], finish: FinishJob): Promise<readonly QueuedWrite[]> => {
    const asked = jobs.flatMap((job) => (job.caller.room ? [{ job, member: job.caller.room }] : []));
    if (!hook || asked.length === 0) return jobs;
    await work.locked;
    const members = asked.map(({ member }) => member);
    const refusals = await hook.refusals(work, members);
    const gone = new Set<QueuedWrite>();
    for (const [i, { job }] of asked.entries()) {
      const error = refusals[i];
      if (!error) continue;
      gone.add(job);
      finish(job, { error });
    }
    return jobs.filter((job) => !gone.has(job));
  };
