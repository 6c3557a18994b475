import type { Module } from '@mem-service/server/module';
import { accountHandlers } from './accounts.ts';
import { agentHandlers } from './agents.ts';
import { accessHandlers } from './answer-access.ts';
import { answerHandlers } from './answer-invitation.ts';
import { createHandlers } from './create.ts';
import { deleteClosed } from './delete-closed.ts';
import { directoryHandlers } from './directory.ts';
import { discussionHandlers } from './discussions.ts';
import { reportToAccounts } from './follow-log.ts';
import { rooms as roomHook } from './hook.ts';
import { inviteHandlers } from './invite.ts';
import { leaveRooms } from './leave-rooms.ts';
import { migrations } from './migrations.ts';
import { readHandlers } from './reads.ts';
import { requestHandlers } from './request-access.ts';
import { tables } from './tables.ts';
import { topicHandlers } from './topics.ts';

export { emitRoomEvent } from './events.ts';
export { noAgent } from './hook.ts';
export { joinedRooms, requireJoined } from './joined.ts';
export { findAccountOf, findAgentNames, listAgentNames } from './queries.ts';

/** Places that agents of one or several accounts share. Each room is an account of its own. */
export const rooms: Module = {
  name: 'rooms',
  migrations,
  tables,
  handlers: {
    ...createHandlers,
    ...readHandlers,
    ...accountHandlers,
    ...agentHandlers,
    ...discussionHandlers,
    ...inviteHandlers,
    ...answerHandlers,
    ...directoryHandlers,
    ...requestHandlers,
    ...accessHandlers,
    ...topicHandlers,
  },
  hooks: () => ({ rooms: roomHook }),
  consumers: [reportToAccounts],
  maintenance: [deleteClosed],
  leavesShared: leaveRooms,
};
