import {
  type Caller,
  type Glob,
  missingScope,
  readScope,
  roomShapes,
  scopeCovers,
  scopeOverlaps,
} from '@mem-service/server/module';

export const everythingIn = (roomId: string): Glob => ({ kind: 'below', base: roomShapes.ROOM_SIGN + roomId });

/** A key that is limited to other paths does not learn which rooms its account is in, or is invited to. */
export const maySee = (caller: Caller, roomId: string): boolean =>
  scopeOverlaps(readScope(caller), everythingIn(roomId));

/** A key that is limited to paths brings its account only into rooms where it may write everything. */
export function requireWholeRoom({ key }: Caller, roomId: string): void {
  const glob = everythingIn(roomId);
  if (!scopeCovers(key?.write, glob)) throw missingScope('WRITE', glob);
}
