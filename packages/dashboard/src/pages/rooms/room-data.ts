import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client, type OperationName, type Output } from '../../data/client.ts';
import { questionOf } from '../../data/query.ts';
import type { Tone } from '../../ui/marks.tsx';

export type WholeRoom = Output<'rooms.read'>;
export type RoomMessage = Output<'rooms.discussions'>['messages'][number];

export const ACCESS_TONES: Record<Output<'room_directory.request_access'>['status'], Tone> = {
  ...({ pending: 'warn', approved: 'good', declined: 'bad' } as const),
};
export const DOCUMENT_TONES: Record<Output<'room_documents.read'>['status'], Tone> = {
  ...({ pending: 'mute', ready: 'good', failed: 'bad' } as const),
};

/** What joining and leaving change for everyone of the account. */
export const MEMBER_ANSWERS: readonly OperationName[] = [
  ...(['rooms.list', 'rooms.read', 'rooms.members', 'rooms.list_invitations', 'rooms.list_access_requests'] as const),
];
/** What the directory shows, and what the account has asked there. */
export const DIRECTORY_ANSWERS: readonly OperationName[] = [
  ...(['room_directory.list', 'room_directory.read', 'room_access_requests.list'] as const),
];
export const TOPIC_ANSWERS: readonly OperationName[] = [
  ...(['rooms.topics', 'rooms.updates', 'room_directory.list', 'room_directory.read'] as const),
];
export const DOCUMENT_ANSWERS: readonly OperationName[] = [
  ...(['room_documents.list', 'room_documents.read', 'room_documents.read_text', 'room_documents.search'] as const),
];
/** What only agents that have joined may ask. */
const JOINED_ANSWERS: readonly OperationName[] = [
  ...(['rooms.discussions', 'rooms.updates', 'rooms.topics', 'negotiations.list', 'negotiations.read'] as const),
  ...DOCUMENT_ANSWERS,
];

const AT_MOST_EVERY_MS = 300;

/** Asks again as soon as something happens in the room. Its log is not that of the account. */
export function useRoomRefresh(roomId: string, hasJoined: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!hasJoined) return;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void refreshRoom(queries, roomId);
      }, AT_MOST_EVERY_MS);
    };
    void followRoom(roomId, stop.signal, refresh);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [queries, roomId, hasJoined]);
}

/** Asks who is in the room first: who has left it may not ask for the rest. */
async function refreshRoom(queries: QueryClient, room_id: string): Promise<void> {
  await Promise.all(MEMBER_ANSWERS.map((name) => queries.invalidateQueries({ queryKey: [name] })));
  const room = queries.getQueryData<WholeRoom>(questionOf('rooms.read', { room_id }).queryKey);
  if (room?.joined) for (const name of JOINED_ANSWERS) void queries.invalidateQueries({ queryKey: [name] });
}

/** The stream ends with the membership; what is asked after that shows why. */
async function followRoom(room_id: string, signal: AbortSignal, onEvent: () => void): Promise<void> {
  try {
    for await (const _ of client().streamText('rooms.stream', { room_id }, { signal, retries: 1_000_000 })) onEvent();
  } catch {
    if (signal.aborted) return;
  }
  onEvent();
}
