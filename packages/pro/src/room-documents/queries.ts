import {
  type Dialect,
  type FoundMatch,
  findNewest,
  fragment,
  type Insert,
  matchingRows,
  newestOf,
  type Query,
  rowidOf,
  type SeqWindow,
  type Sql,
  sql,
  type Transaction,
} from '@mem-service/server/module';

export type RoomDocumentRow = {
  account_id: string;
  document_id: string;
  name: string;
  title: string;
  format: 'text' | 'markdown' | 'pdf' | 'docx';
  version: number;
  status: 'pending' | 'ready' | 'failed';
  reason: string | null;
  message: string | null;
  readable_version: number | null;
  bytes: number;
  sha256: string;
  /** Of the readable version. */
  page_count: number | null;
  char_count: number | null;
  /** Who added the newest version. */
  agent_id: string;
  /** Who added the first. */
  added_by: string;
  created_at: number;
  updated_at: number;
  /** What of it counts as stored: the content until that was read, and the text that is shown. */
  stored_bytes: number;
};

const DOCUMENT_COLUMNS = {
  account_id: 'text',
  document_id: 'text',
  name: 'text',
  title: 'text',
  format: 'text',
  version: 'int',
  status: 'text',
  reason: 'text',
  message: 'text',
  readable_version: 'int',
  bytes: 'int',
  sha256: 'text',
  page_count: 'int',
  char_count: 'int',
  agent_id: 'text',
  added_by: 'text',
  created_at: 'int',
  updated_at: 'int',
  stored_bytes: 'int',
} as const;

export const upsertDocument: Insert = {
  table: 'room_documents',
  columns: DOCUMENT_COLUMNS,
  suffix: `ON CONFLICT (account_id, document_id) DO UPDATE SET title = excluded.title, format = excluded.format,
    version = excluded.version, status = excluded.status, reason = excluded.reason, message = excluded.message,
    readable_version = excluded.readable_version, bytes = excluded.bytes, sha256 = excluded.sha256,
    page_count = excluded.page_count, char_count = excluded.char_count, agent_id = excluded.agent_id,
    updated_at = excluded.updated_at, stored_bytes = excluded.stored_bytes`,
};

const DOCUMENT = fragment(Object.keys(DOCUMENT_COLUMNS).join(', '));

export function getDocument(query: Query, accountId: string, documentId: string): Promise<RoomDocumentRow | undefined> {
  return query.get(
    sql`SELECT ${DOCUMENT} FROM room_documents WHERE account_id = ${accountId} AND document_id = ${documentId}`,
  );
}

export type DocumentPage = { account_id: string; after: string; limit: number };

export function listDocuments(query: Query, { account_id, after, limit }: DocumentPage): Promise<RoomDocumentRow[]> {
  return query.all(
    sql`SELECT ${DOCUMENT} FROM room_documents WHERE account_id = ${account_id} AND document_id > ${after}
        ORDER BY document_id LIMIT ${limit}`,
  );
}

/** `bytes` are those of their newest contents, `stored_bytes` what they take: their texts, above all. */
export type DocumentTotals = { documents: number; bytes: number; stored_bytes: number };

/** Of all documents of a room, of which there are few. */
export async function totalsOf(query: Query, accountId: string): Promise<DocumentTotals> {
  const found = await query.get<DocumentTotals>(
    sql`SELECT count(*) AS documents, coalesce(sum(bytes), 0) AS bytes, coalesce(sum(stored_bytes), 0) AS stored_bytes
        FROM room_documents WHERE account_id = ${accountId}`,
  );
  const { documents = 0, bytes = 0, stored_bytes = 0 } = found ?? {};
  return { documents: Number(documents), bytes: Number(bytes), stored_bytes: Number(stored_bytes) };
}

export function deleteDocument(tx: Transaction, accountId: string, documentId: string): Promise<number> {
  return tx.run(sql`DELETE FROM room_documents WHERE account_id = ${accountId} AND document_id = ${documentId}`);
}

/** What was added and is not read yet. */
export const upsertFile: Insert = {
  table: 'room_document_files',
  columns: { account_id: 'text', document_id: 'text', content: 'text' },
  suffix: 'ON CONFLICT (account_id, document_id) DO UPDATE SET content = excluded.content',
};

export async function getFile(query: Query, accountId: string, documentId: string): Promise<Buffer | undefined> {
  const row = await query.get<{ content: string }>(
    sql`SELECT content FROM room_document_files WHERE account_id = ${accountId} AND document_id = ${documentId}`,
  );
  return row && Buffer.from(row.content, 'base64');
}

export function deleteFile(tx: Transaction, accountId: string, documentId: string): Promise<number> {
  return tx.run(sql`DELETE FROM room_document_files WHERE account_id = ${accountId} AND document_id = ${documentId}`);
}

export type PassageRow = {
  account_id: string;
  /** A number of its own among all passages of the room, later passages have greater ones. */
  seq: number;
  document_id: string;
  version: number;
  page: number;
  text: string;
};

export const insertPassages = {
  table: 'room_document_passages',
  columns: { account_id: 'text', seq: 'int', document_id: 'text', version: 'int', page: 'int', text: 'text' },
} as const satisfies Insert;

/** For an engine that stores the words in the row. */
export const insertPassagesWithWords: Insert = {
  table: 'room_document_passages',
  columns: { ...insertPassages.columns, search_words: 'search_text' },
};

export const insertPassageWords: Insert = {
  table: 'room_document_words',
  columns: { rowid: 'int', words: 'text' },
  singly: true,
};

export async function newestPassage(query: Query, accountId: string): Promise<number> {
  const row = await query.get<{ seq: number }>(
    sql`SELECT seq FROM room_document_passages WHERE account_id = ${accountId} ORDER BY seq DESC LIMIT 1`,
  );
  return row?.seq ?? 0;
}

export type PassagePage = {
  account_id: string;
  document_id: string;
  version: number;
  after: number;
  from_page: number;
  to_page: number;
  limit: number;
};

export function listPassages(query: Query, page: PassagePage): Promise<PassageRow[]> {
  const { account_id, document_id, version, after, from_page, to_page, limit } = page;
  return query.all(
    sql`SELECT account_id, seq, document_id, version, page, text FROM room_document_passages
        WHERE account_id = ${account_id} AND document_id = ${document_id} AND version = ${version} AND seq > ${after}
          AND page >= ${from_page} AND page <= ${to_page}
        ORDER BY seq LIMIT ${limit}`,
  );
}

/** The numbers of the passages of a document, of all versions but one. */
export async function listPassageSeqs(
  query: Query,
  accountId: string,
  { document_id, but }: { document_id: string; but: number | null },
): Promise<number[]> {
  const rows = await query.all<{ seq: number }>(
    sql`SELECT seq FROM room_document_passages
        WHERE account_id = ${accountId} AND document_id = ${document_id} AND version <> ${but ?? 0}`,
  );
  return rows.map(({ seq }) => seq);
}

const among = (seqs: Sql): Sql => sql`IN (SELECT CAST(value AS BIGINT) FROM ${seqs})`;

export function deletePassages(tx: Transaction, accountId: string, seqs: Sql): Promise<number> {
  return tx.run(sql`DELETE FROM room_document_passages WHERE account_id = ${accountId} AND seq ${among(seqs)}`);
}

/** On SQLite, by their places in its index. */
export function deletePassageWords(tx: Transaction, rowids: Sql): Promise<number> {
  return tx.run(sql`DELETE FROM room_document_words WHERE rowid ${among(rowids)}`);
}

/** The passages of one version of a document, which lie between two numbers. */
export type ReadablePassages = Pick<PassageRow, 'document_id' | 'version'> & { range: SeqWindow };

export async function getReadablePassages(
  query: Query,
  accountId: string,
  documentId: string,
): Promise<ReadablePassages | undefined> {
  const found = await query.get<{ version: number; first: number | null; last: number | null }>(
    sql`SELECT d.readable_version AS version, min(p.seq) AS first, max(p.seq) AS last FROM room_documents AS d
        JOIN room_document_passages AS p ON p.account_id = ${accountId} AND p.document_id = d.document_id
          AND p.version = d.readable_version
        WHERE d.account_id = ${accountId} AND d.document_id = ${documentId} GROUP BY d.readable_version`,
  );
  if (!found || found.first === null || found.last === null) return undefined;
  return { document_id: documentId, version: found.version, range: { from: found.first, to: found.last } };
}

const amongThose = (accountId: string, { document_id, version }: ReadablePassages): Sql =>
  sql`IN (SELECT seq FROM room_document_passages WHERE account_id = ${accountId} AND document_id = ${document_id}
    AND version = ${version})`;

type PassageMatches = {
  account: { account_id: string; number: number };
  expression: string;
  /** Undefined: of all documents. */
  of: ReadablePassages | undefined;
  limit: number;
};

/** The newest passages of a room, or of one document, whose words match, newest first. */
export async function listMatching(query: Query, { engine }: Dialect, asked: PassageMatches): Promise<number[]> {
  return engine === 'sqlite' ? listInFile(query, asked) : listInRows(query, asked);
}

async function listInFile(query: Query, { account, expression, of, limit }: PassageMatches): Promise<number[]> {
  const { account_id, number } = account;
  const zero = rowidOf(number, 0);
  const [from, before] = of
    ? [rowidOf(number, of.range.from), rowidOf(number, of.range.to + 1)]
    : [zero, rowidOf(number + 1, 0)];
  // As an expression: by the number itself, the index of words would be asked for each passage.
  const ofOne = of ? sql` AND rowid - ${zero} ${amongThose(account_id, of)}` : sql``;
  const rows = await query.all<{ seq: number }>(
    sql`SELECT rowid - ${zero} AS seq FROM room_document_words WHERE room_document_words MATCH ${expression}
        AND rowid >= ${from} AND rowid < ${before}${ofOne} ORDER BY rowid DESC LIMIT ${limit}`,
  );
  return rows.map(({ seq }) => seq);
}

async function listInRows(query: Query, { account, expression, of, limit }: PassageMatches): Promise<number[]> {
  const { account_id } = account;
  const words = sql`SELECT account_id, seq FROM words_of_room_documents`;
  const { from: first, to: newest } = of?.range ?? { from: 0, to: await newestPassage(query, account_id) };
  const ofOne = of ? sql` AND seq ${amongThose(account_id, of)}` : sql``;
  const find = async ({ from, to }: SeqWindow, most: number): Promise<FoundMatch[]> => {
    if (to < first) return [];
    const window = { from: Math.max(from, first), to };
    const read = sql`SELECT seq, true AS passes ${matchingRows({ account_id, words, expression, window })}${ofOne} LIMIT ${most}`;
    return query.all<FoundMatch>(newestOf(read, limit));
  };
  return (await findNewest({ newest, limit, find })).seqs;
}

export type FoundPassage = Pick<RoomDocumentRow, 'document_id' | 'name' | 'title'> &
  Pick<PassageRow, 'seq' | 'version' | 'page' | 'text'>;

/** Those passages that belong to the readable version of their document. */
export function findPassages(query: Query, accountId: string, seqs: Sql): Promise<FoundPassage[]> {
  return query.all(
    sql`SELECT p.seq, p.document_id, d.name, d.title, p.version, p.page, p.text FROM room_document_passages AS p
        JOIN room_documents AS d ON d.account_id = ${accountId} AND d.document_id = p.document_id
          AND d.readable_version = p.version
        WHERE p.account_id = ${accountId} AND p.seq ${among(seqs)} ORDER BY p.seq`,
  );
}
