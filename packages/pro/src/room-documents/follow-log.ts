import {
  type Consumer,
  type ConsumerContext,
  FileRefused,
  type FileText,
  type LogEvent,
  Postponed,
  ReaderBusy,
  readFileText,
  SELF_CALLER,
  type Work,
} from '@mem-service/server/module';
import { emitRoomEvent, findAccountOf } from '../rooms/index.ts';
import { dropPassages, type NewPassage, passagesOf, savePassages } from './passages.ts';
import * as queries from './queries.ts';
import { bytesOfPassages, countStored, hasRoomFor, textBytesOf } from './stored.ts';

const BUSY_MS = 2000;
/** Writers of the room wait at most for so many. */
const SAVED_AT_ONCE = 200;

type DocumentText = { passages: NewPassage[]; pages: number; chars: number };

/** Reads the texts of documents that were added. After a crash it begins again with the same file. */
export const readDocuments: Consumer = {
  name: 'room-documents.read_texts',
  event_types: ['room_document_added'],
  starts_at: 'the beginning',
  batch_size: 1,
  delay_seconds: 1,
  handle: handleAdded,
};

async function handleAdded(context: ConsumerContext, [event]: readonly LogEvent[]): Promise<void> {
  if (!event) return;
  const { account_id, kernel } = context;
  const { read } = kernel.services.database.forAccount(account_id);
  const { document_id, version } = JSON.parse(event.details) as { document_id: string; version: number };
  const row = await queries.getDocument(read, account_id, document_id);
  if (!row || !isAwaited(row, version)) return;
  const file = await queries.getFile(read, account_id, document_id);
  if (!file) return;
  // Files take turns by who added them, in whichever room.
  const of_account = (await findAccountOf(read, account_id, row.agent_id)) ?? account_id;
  const text = await readText(context, { name: row.name, of_account }, file);
  if (text instanceof FileRefused) await context.work((work) => refuse(work, row, text));
  else await save(context, row, text);
}

const isAwaited = (row: queries.RoomDocumentRow | undefined, version: number): boolean =>
  row?.status === 'pending' && row.version === version;

async function readText(
  { stopped }: ConsumerContext,
  { name, of_account }: { name: string; of_account: string },
  file: Buffer,
): Promise<DocumentText | FileRefused> {
  try {
    const { pages }: FileText = await readFileText(name, file, { account_id: of_account, signal: stopped });
    const chars = pages.reduce((sum, page) => sum + page.length, 0);
    return { passages: await passagesOf(pages), pages: pages.length, chars };
  } catch (error) {
    if (error instanceof FileRefused) return error;
    if (error instanceof ReaderBusy) throw new Postponed('other files are being read', BUSY_MS);
    throw error;
  }
}

/** The passages come first, in steps. They are shown once the document names their version. */
async function save({ step, work }: ConsumerContext, row: queries.RoomDocumentRow, text: DocumentText): Promise<void> {
  const { document_id, version, readable_version } = row;
  const bytes = bytesOfPassages(text.passages);
  if (!(await step((one) => hasRoomFor(one, row, bytes)))) {
    await work((one) => refuse(one, row, new FileRefused('too_much_text', 'the room has no space for the text')));
    return;
  }
  await step((one) => dropPassages(one, { document_id, but: readable_version }));
  for (let at = 0; at < text.passages.length; at += SAVED_AT_ONCE) {
    const some = text.passages.slice(at, at + SAVED_AT_ONCE);
    await step(async (one) => {
      if (await current(one, row)) await savePassages(one, { document_id, version }, some);
    });
  }
  await work(async (one) => {
    const now = await current(one, row);
    if (!now) return;
    await dropPassages(one, { document_id, but: version });
    finish(one, {
      ...{ ...countStored(one, now, bytes), status: 'ready', readable_version: version },
      ...{ page_count: text.pages, char_count: text.chars },
    });
  });
}

/** As it is in the transaction; undefined where it was deleted or has another version meanwhile. */
async function current({ tx, account_id }: Work, { document_id, version }: queries.RoomDocumentRow) {
  const row = await queries.getDocument(tx, account_id, document_id);
  return isAwaited(row, version) ? row : undefined;
}

async function refuse(work: Work, row: queries.RoomDocumentRow, { reason, message }: FileRefused): Promise<void> {
  const now = await current(work, row);
  if (now) finish(work, { ...countStored(work, now, textBytesOf(now)), status: 'failed', reason, message });
}

function finish(work: Work, row: queries.RoomDocumentRow): void {
  const { tx, account_id, now } = work;
  const { document_id, name, version, status, reason, agent_id } = row;
  const details = { document_id, name, version, status, reason };
  emitRoomEvent(work, { ...SELF_CALLER, account_id, agent_id }, { event_type: 'room_document_read', details });
  work.send(tx.insertMany(queries.upsertDocument, [{ ...row, updated_at: now }]));
  work.send(queries.deleteFile(tx, account_id, document_id));
}
