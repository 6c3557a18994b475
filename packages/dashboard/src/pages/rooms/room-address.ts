import { hrefOf } from '../../router/address.ts';
import { choiceParameter, textParameter } from '../../router/router.tsx';

export const ROOM_PARTS = ['discussion', 'negotiations', 'documents', 'topics', 'activity'] as const;
export type RoomPart = (typeof ROOM_PARTS)[number];

/** What of a room is shown: `#/rooms/ID?part=documents&document=doc_…`. */
export const roomParameters = {
  part: choiceParameter<RoomPart>('discussion', ROOM_PARTS),
  negotiation: textParameter(),
  document: textParameter(),
  /** The message that a link leads to. */
  message: textParameter(),
  /** What documents are searched for. */
  words: textParameter(),
};

export const hrefOfNegotiation = (roomId: string, negotiation: string): string =>
  hrefOf('rooms', roomId, { part: 'negotiations', negotiation });

export const hrefOfDocument = (roomId: string, document: string): string =>
  hrefOf('rooms', roomId, { part: 'documents', document });

export const hrefOfMessage = (roomId: string, message: string): string => hrefOf('rooms', roomId, { message });

/** No room has this id: each ends in a hyphen and characters at random. */
export const DIRECTORY = 'directory';
export const DIRECTORY_VIEWS = ['rooms', 'requests'] as const;
export type DirectoryView = (typeof DIRECTORY_VIEWS)[number];

/** What of the directory is shown: `#/rooms/directory?q=release&room=ID`. */
export const directoryParameters = {
  view: choiceParameter<DirectoryView>('rooms', DIRECTORY_VIEWS),
  /** What rooms are searched for. */
  q: textParameter(),
  room: textParameter(),
};

export const hrefOfFoundRoom = (room: string, q = ''): string => hrefOf('rooms', DIRECTORY, { q, room });
