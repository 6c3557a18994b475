import {
  type Caller,
  changed,
  exclusive,
  type Handlers,
  hashedBy,
  type Output,
  type RoomMember,
  unchanged,
  writes,
} from '@mem-service/server/module';
import { admitAgent, countAgent, noteLeavers } from './accounts.ts';
import { emitRoomEvent } from './events.ts';
import * as queries from './queries.ts';

type AgentInRoom = Output<'rooms.join'>;

const toMembership = ({ agent_id: agent, room }: Caller, joined: boolean): AgentInRoom => {
  const { room_id, label } = room as RoomMember;
  return { room_id, agent, label, joined };
};

const join = writes<'rooms.join'>(async (work, { caller, input }) => {
  const { label, agent_id: own } = caller.room as RoomMember;
  const membership = toMembership(caller, true);
  if (!(await admitAgent(work, caller, { label, own }))) return unchanged(membership);
  return changed(membership, { resource: input.room_id, ...hashedBy(membership) });
});

const leave = writes<'rooms.leave'>(async (work, { caller, input }) => {
  const { tx, account_id } = work;
  const { label } = caller.room as RoomMember;
  const membership = toMembership(caller, false);
  if ((await queries.deleteRoomAgent(tx, account_id, caller.agent_id)) === 0) return unchanged(membership);
  await countAgent(work, label, -1);
  emitRoomEvent(work, caller, { event_type: 'room_agent_left', details: { label } });
  await noteLeavers(work, (agent) => agent === caller.agent_id);
  return changed(membership, { resource: input.room_id, ...hashedBy(membership) });
});

/** Each in a transaction of its own: what comes later in the log was admitted with it. */
export const agentHandlers: Handlers = { 'rooms.join': exclusive(join), 'rooms.leave': exclusive(leave) };
