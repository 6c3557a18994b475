import { type Output, type RoomMember, toIso } from '@mem-service/server/module';
import type { MembershipRow, RoomAccountRow, RoomRow } from './queries.ts';

type RoomView = Pick<RoomMember, 'label' | 'role'>;

export const toRoom = (row: RoomRow, { label, role }: RoomView): Output<'rooms.create'> => ({
  room_id: row.room_id,
  name: row.name,
  description: row.description,
  discoverable: row.discoverable === 1,
  label,
  role,
  account_count: row.account_count,
  agent_count: row.agent_count,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

export const toListedRoom = ({ room_id, name, label, role, joined_at }: MembershipRow) => ({
  room_id,
  name,
  label,
  role,
  joined_at: toIso(joined_at),
});

export const toRoomAccount = ({ label, role, agent_count, joined_at }: RoomAccountRow) => ({
  label,
  role,
  agent_count,
  joined_at: toIso(joined_at),
});
