import { type Output, toIso } from '@mem-service/server/module';
import type { RoomDocumentRow } from './queries.ts';

export function toDocument(row: RoomDocumentRow, room_id: string): Output<'room_documents.read'> {
  const { account_id: _, stored_bytes: __, created_at, updated_at, ...rest } = row;
  return { room_id, ...rest, created_at: toIso(created_at), updated_at: toIso(updated_at) };
}
