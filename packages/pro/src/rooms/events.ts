import { type Caller, EVERYONE, MAIN_BRANCH, sessionName, type Work } from '@mem-service/server/module';

export type RoomEvent = { event_type: string; details: Record<string, unknown> };

/** Every agent in the room sees it. It names accounts by their labels. */
export function emitRoomEvent(work: Work, caller: Caller, { event_type, details }: RoomEvent): number {
  const place = { branch: MAIN_BRANCH, entity_path: null, key: null, version: null };
  const { agent_id } = caller;
  const session = sessionName(caller.session_id, caller);
  return work.emit({ event_type, agent_id, ...place, visible_to: EVERYONE, details, session });
}
