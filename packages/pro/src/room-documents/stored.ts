import { addStored, bytesOfTexts, Fault, requireRoom, storeMore, type Work } from '@mem-service/server/module';
import { MAX_ROOM_BYTES } from './limits.ts';
import type { NewPassage } from './passages.ts';
import { type RoomDocumentRow, totalsOf } from './queries.ts';

type CountedDocument = Pick<RoomDocumentRow, 'status' | 'bytes' | 'stored_bytes'>;

/** Of the text that is shown. */
export const textBytesOf = ({ status, bytes, stored_bytes }: CountedDocument): number =>
  status === 'pending' ? Math.max(0, stored_bytes - bytes) : stored_bytes;

export const bytesOfPassages = (passages: readonly NewPassage[]): number =>
  bytesOfTexts(passages.map(({ text }) => text));

/** Counts the content of a document until it is read, for which there must be room. Returns what is stored then. */
export function storeContent(work: Work, known: CountedDocument | undefined, bytes: number): number {
  const stored_bytes = (known ? textBytesOf(known) : 0) + bytes;
  storeMore(work, stored_bytes - (known?.stored_bytes ?? 0));
  return stored_bytes;
}

/** Whether there is room for the text of a document, in place of its content and of the text before. */
export async function hasRoomFor(work: Work, row: RoomDocumentRow, textBytes: number): Promise<boolean> {
  const bytes = textBytes - row.stored_bytes;
  if (bytes <= 0) return true;
  const { stored_bytes } = await totalsOf(work.tx, work.account_id);
  if (stored_bytes + bytes > MAX_ROOM_BYTES) return false;
  try {
    requireRoom(work, { bytes });
    return true;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** Counts what is stored of a document from now on. */
export function countStored(work: Work, row: RoomDocumentRow, stored_bytes: number): RoomDocumentRow {
  addStored(work, { storage_bytes: stored_bytes - row.stored_bytes });
  return { ...row, stored_bytes };
}
