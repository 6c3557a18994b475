import {
  type AgentEraser,
  type Consumer,
  findSealed,
  indexedForm,
  rowidOf,
  type TraceFollower,
  type Work,
} from '@mem-service/server/module';
import { type IndexedDocument, readDocuments } from './documents.ts';
import * as queries from './queries.ts';

/** Puts traces into the index as they are sealed, and those from before it was installed. No outcome waits for it. */
export const indexTraces: Consumer = {
  name: 'trace-navigation.index_traces',
  event_types: ['outcome', 'trace'],
  starts_at: 'the beginning',
  batch_size: 100,
  delay_seconds: 1,
  gives_way_seconds: 10,
  async handle({ kernel, account_id, work }, events) {
    const { database } = kernel.services;
    const query = database.forAccount(account_id).scan;
    const seqs = events.map(({ seq }) => seq);
    const read = await readDocuments({ query, dialect: database.dialect, account_id }, seqs);
    if (read.length > 0) await work(async (one) => saveDocuments(one, await unchanged(one, read)));
  },
};

/** Without those that were removed, or lost their payloads, since they were read. */
async function unchanged({ tx, account_id }: Work, read: readonly IndexedDocument[]): Promise<IndexedDocument[]> {
  const rows = await findSealed(
    tx,
    account_id,
    read.map(({ row }) => row.seq),
  );
  const headers = new Map(rows.map(({ seq, header }) => [seq, header]));
  return read.filter(({ row }) => headers.get(row.seq) === row.header);
}

async function saveDocuments(work: Work, documents: readonly IndexedDocument[]): Promise<void> {
  if (documents.length === 0) return;
  const { tx, account, account_id, dialect } = work;
  await remove(
    work,
    documents.map(({ row }) => row.seq),
  );
  const rows = documents.map(({ row, document, words }) => ({
    ...{ account_id, seq: row.seq, agent_id: row.agent_id, branch: row.branch, visible_to: row.visible_to },
    ...{ duration_ms: document.duration_ms, cost_usd: document.cost_usd, facts: JSON.stringify(document.facts) },
    search_words: indexedForm(dialect.engine, account.number, words),
  }));
  if (dialect.engine === 'postgres') {
    await tx.insertMany(queries.insertIndexedWithWords, rows);
    return;
  }
  await tx.insertMany(
    queries.insertIndexedTraces,
    rows.map(({ search_words: _, ...row }) => row),
  );
  await tx.insertMany(
    queries.insertIndexedWords,
    rows.map(({ seq, search_words }) => ({ rowid: rowidOf(account.number, seq), words: search_words })),
  );
}

async function remove({ tx, account, account_id, dialect }: Work, seqs: readonly number[]): Promise<void> {
  await queries.deleteIndexed(tx, account_id, dialect.numbers(seqs));
  await removeWords({ tx, account, dialect }, seqs);
}

/** On PostgreSQL they are in the row. */
async function removeWords(
  { tx, account, dialect }: Pick<Work, 'tx' | 'account' | 'dialect'>,
  seqs: readonly number[],
) {
  if (dialect.engine === 'sqlite' && seqs.length > 0)
    await queries.deleteIndexedWords(tx, dialect.numbers(seqs.map((seq) => rowidOf(account.number, seq))));
}

/** Traces that were removed are not found any more, and those without payloads by what they still have. */
export const followTraces: TraceFollower = async (work, seqs) => {
  const { tx: query, dialect, account_id } = work;
  const indexed = await queries.listIndexed(query, account_id, dialect.numbers(seqs));
  if (indexed.length === 0) return;
  const known = indexed.map(({ seq }) => seq);
  await remove(work, known);
  await saveDocuments(work, await readDocuments({ query, dialect, account_id }, known));
};

/** The declaration of the table covers the rows; their words are found through them. */
export const erasesAgent: AgentEraser = {
  async erase(work, { account_id, agent_id }) {
    if (work.dialect.engine !== 'sqlite') return;
    await removeWords(work, await queries.listIndexedOf(work.tx, account_id, agent_id));
  },
};
