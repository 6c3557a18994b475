import type { PageProps } from '../../pages.ts';
import { DIRECTORY } from './room-address.ts';
import { RoomDirectory } from './room-directory.tsx';
import { RoomList } from './room-list.tsx';
import { RoomPage } from './room-page.tsx';

/** `#/rooms` lists them, `#/rooms/directory` finds those of others, `#/rooms/ID` shows one. */
export function RoomsPage({ rest }: PageProps) {
  if (rest === '') return <RoomList />;
  return rest === DIRECTORY ? <RoomDirectory /> : <RoomPage key={rest} roomId={rest} />;
}
