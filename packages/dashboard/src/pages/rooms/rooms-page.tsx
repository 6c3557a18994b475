import type { PageProps } from '../../pages.ts';
import { RoomList } from './room-list.tsx';
import { RoomPage } from './room-page.tsx';

/** `#/rooms` lists them, `#/rooms/ID` shows one. */
export const RoomsPage = ({ rest }: PageProps) => (rest === '' ? <RoomList /> : <RoomPage key={rest} roomId={rest} />);
