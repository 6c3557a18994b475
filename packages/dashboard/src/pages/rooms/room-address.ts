import { hrefOf } from '../../router/address.ts';
import { choiceParameter, textParameter } from '../../router/router.tsx';

export const ROOM_PARTS = ['discussion', 'negotiations', 'documents', 'activity'] as const;
export type RoomPart = (typeof ROOM_PARTS)[number];

/** What of a room is shown: `#/rooms/ID?part=documents&document=doc_…`. */
export const roomParameters = {
  part: choiceParameter<RoomPart>('discussion', ROOM_PARTS),
  negotiation: textParameter(),
  document: textParameter(),
  /** What documents are searched for. */
  words: textParameter(),
};

export const hrefOfNegotiation = (roomId: string, negotiation: string): string =>
  hrefOf('rooms', roomId, { part: 'negotiations', negotiation });

export const hrefOfDocument = (roomId: string, document: string): string =>
  hrefOf('rooms', roomId, { part: 'documents', document });
