import {
  changed,
  checkFile,
  Fault,
  FileRefused,
  type Handlers,
  hashedBy,
  type Input,
  invalidInput,
  prepares,
  type RoomMember,
  sha256,
  unchanged,
  type Work,
  writes,
} from '@mem-service/server/module';
import { emitRoomEvent } from '../rooms/index.ts';
import { MAX_DOCUMENTS, MAX_ROOM_BYTES } from './limits.ts';
import { dropPassages } from './passages.ts';
import * as queries from './queries.ts';
import { toDocument } from './render.ts';
import { countStored, storeContent } from './stored.ts';

type GivenFile = Pick<queries.RoomDocumentRow, 'format' | 'sha256' | 'bytes'> & { content: string };

/** A document keeps its id for as long as it has its name. */
const idOf = (name: string): string => `doc_${sha256(name).slice(0, 16)}`;

/** What can be said of a file before its text is read. */
function checkGiven({ name, content, encoding }: Input<'room_documents.add'>): GivenFile {
  if (encoding === 'utf8' && !content.isWellFormed())
    throw invalidInput([{ path: 'content', message: 'must be well-formed Unicode' }]);
  const bytes = Buffer.from(content, encoding);
  if (encoding === 'base64' && bytes.length !== lengthOfBase64(content))
    throw invalidInput([{ path: 'content', message: 'is not Base64' }]);
  try {
    const format = checkFile(name, bytes);
    return { format, sha256: sha256(bytes), bytes: bytes.length, content: bytes.toString('base64') };
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    const path = error.reason === 'unknown_format' ? 'name' : 'content';
    throw invalidInput([{ path, message: error.message }]);
  }
}

/** Node leaves out what is not Base64. */
const lengthOfBase64 = (content: string): number => Math.floor((content.replace(/={1,2}$/, '').length * 3) / 4);

async function refuseTooMuch(work: Work, known: queries.RoomDocumentRow | undefined, bytes: number): Promise<void> {
  const totals = await queries.totalsOf(work.tx, work.account_id);
  if (!known && totals.documents >= MAX_DOCUMENTS)
    throw new Fault('conflict', `the room has ${MAX_DOCUMENTS} documents, and can have no more`, {
      max_documents: MAX_DOCUMENTS,
    });
  if (totals.bytes - (known?.bytes ?? 0) + bytes > MAX_ROOM_BYTES)
    throw new Fault('conflict', `the documents of the room would have more than ${MAX_ROOM_BYTES} bytes`, {
      max_bytes: MAX_ROOM_BYTES,
    });
}

const add = writes<'room_documents.add'>(async (work, { input, caller, prepared }) => {
  const { tx, account_id, now } = work;
  const { content, ...file } = prepared as GivenFile;
  const { room_id, name } = input;
  const document_id = idOf(name);
  const known = await queries.getDocument(tx, account_id, document_id);
  // What could not be read is read again.
  if (known?.sha256 === file.sha256 && known.status !== 'failed') return unchanged(toDocument(known, room_id));
  await refuseTooMuch(work, known, file.bytes);
  const version = (known?.version ?? 0) + 1;
  const title = input.title ?? known?.title ?? name;
  const stored_bytes = storeContent(work, known, file.bytes);
  const row: queries.RoomDocumentRow = {
    ...{ account_id, document_id, name, title, version, status: 'pending', reason: null, message: null },
    ...{ readable_version: known?.readable_version ?? null, page_count: known?.page_count ?? null },
    ...{ char_count: known?.char_count ?? null, agent_id: caller.agent_id },
    ...{ added_by: known?.added_by ?? caller.agent_id, created_at: known?.created_at ?? now },
    ...{ updated_at: now, stored_bytes },
    ...file,
  };
  emitRoomEvent(work, caller, { event_type: 'room_document_added', details: { document_id, name, version } });
  work.send(tx.insertMany(queries.upsertDocument, [row]));
  work.send(tx.insertMany(queries.upsertFile, [{ account_id, document_id, content }]));
  const document = toDocument(row, room_id);
  const before = known ? hashedBy(toDocument(known, room_id)).after : null;
  return changed(document, { resource: document_id, before, after: hashedBy(document).after });
});

export const noDocument = (document_id: string): Fault =>
  new Fault('not_found', `there is no document ${document_id} in the room`, { document_id });

const remove = writes<'room_documents.delete'>(async (work, { input, caller }) => {
  const { tx, account_id } = work;
  const { room_id, document_id } = input;
  const row = await queries.getDocument(tx, account_id, document_id);
  if (!row) throw noDocument(document_id);
  if (row.added_by !== caller.agent_id && (caller.room as RoomMember).role !== 'owner')
    throw new Fault('forbidden', 'only the agent that added a document first and the owner of the room can delete it');
  const { name, version } = row;
  emitRoomEvent(work, caller, { event_type: 'room_document_deleted', details: { document_id, name, version } });
  await dropPassages(work, { document_id, but: null });
  countStored(work, row, 0);
  work.send(queries.deleteFile(tx, account_id, document_id));
  work.send(queries.deleteDocument(tx, account_id, document_id));
  const before = hashedBy(toDocument(row, room_id)).after;
  return changed({ document_id, room_id, deleted: true as const }, { resource: document_id, before, after: null });
});

export const changeHandlers: Handlers = {
  'room_documents.add': prepares<'room_documents.add'>(async (_, input) => checkGiven(input), add),
  'room_documents.delete': remove,
};
