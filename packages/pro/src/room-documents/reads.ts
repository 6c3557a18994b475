import { cursorsOf, cutPage, type Handlers, reads, withinPage } from '@mem-service/server/module';
import { noDocument } from './changes.ts';
import * as queries from './queries.ts';
import { toDocument } from './render.ts';
import { search } from './search.ts';

const listCursors = cursorsOf('room_documents', ['string']);
const textCursors = cursorsOf('room_document_text', ['string', 'number', 'number']);

const list = reads<'room_documents.list'>(async ({ read, caller, services }, { room_id, limit, cursor }) => {
  const [after] = cursor === undefined ? [''] : listCursors.from(cursor);
  const rows = await queries.listDocuments(read, { account_id: caller.account_id, after, limit: limit + 1 });
  const found = withinPage(services, rows, ({ name, title, message, agent_id, added_by, sha256 }) => [
    ...[name, title, message, agent_id, added_by, sha256, REST],
  ]);
  const { items, ...page } = cutPage(found, limit, ({ document_id }) => listCursors.to([document_id]));
  return { documents: items.map((row) => toDocument(row, room_id)), ...page };
});

/** About as much as the other members of a document take. */
const REST = ' '.repeat(300);

const readOne = reads<'room_documents.read'>(async ({ read, caller }, { room_id, document_id }) => {
  const row = await queries.getDocument(read, caller.account_id, document_id);
  if (!row) throw noDocument(document_id);
  return toDocument(row, room_id);
});

/** A cursor goes on in the version that it was made for, as long as that is the one to read. */
const readText = reads<'room_documents.read_text'>(async ({ read, caller, services }, input) => {
  const { account_id } = caller;
  const { document_id, from_page = 1, to_page = Number.MAX_SAFE_INTEGER, limit, cursor } = input;
  const [ofDocument, ofVersion, after] = cursor === undefined ? ['', 0, 0] : textCursors.from(cursor);
  const row = await queries.getDocument(read, account_id, document_id);
  if (!row) throw noDocument(document_id);
  const { readable_version: version, page_count } = row;
  if (version === null) return { document_id, version, page_count, passages: [], next_cursor: null, has_more: false };
  const isSame = ofDocument === document_id && ofVersion === version;
  const rows = await queries.listPassages(read, {
    ...{ account_id, document_id, version, after: isSame ? after : 0 },
    ...{ from_page, to_page, limit: limit + 1 },
  });
  const found = withinPage(services, rows, ({ text }) => [text]);
  const { items, ...page } = cutPage(found, limit, ({ seq }) => textCursors.to([document_id, version, seq]));
  return { document_id, version, page_count, passages: items.map(({ page, text }) => ({ page, text })), ...page };
});

export const readHandlers: Handlers = {
  'room_documents.list': list,
  'room_documents.read': readOne,
  'room_documents.read_text': readText,
  'room_documents.search': search,
};
