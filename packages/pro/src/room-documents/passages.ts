import { cutText, indexedForm, inTurns, rowidOf, type Work, wordsOfValuesInSteps } from '@mem-service/server/module';
import { PASSAGE_CHARS } from './limits.ts';
import * as queries from './queries.ts';

/** A part of a page, and its words. */
export type NewPassage = { page: number; text: string; words: string[] };

/** The passages of a document with their words, made in turns with other requests. */
export async function passagesOf(pages: readonly string[]): Promise<NewPassage[]> {
  const passages: NewPassage[] = [];
  for (const [at, page] of pages.entries())
    for (const text of cutText(page, PASSAGE_CHARS))
      passages.push({ page: at + 1, text, words: await inTurns(wordsOfValuesInSteps([text])) });
  return passages;
}

type PassagesOf = { document_id: string; version: number };

export async function savePassages(work: Work, of: PassagesOf, passages: readonly NewPassage[]): Promise<void> {
  const { tx, account, account_id, dialect } = work;
  const first = (await queries.newestPassage(tx, account_id)) + 1;
  const rows = passages.map(({ page, text, words }, at) => ({
    ...{ account_id, seq: first + at, ...of, page, text },
    search_words: indexedForm(dialect.engine, account.number, words),
  }));
  if (dialect.engine === 'postgres') {
    await tx.insertMany(queries.insertPassagesWithWords, rows);
    return;
  }
  await tx.insertMany(
    queries.insertPassages,
    rows.map(({ search_words: _, ...row }) => row),
  );
  await tx.insertMany(
    queries.insertPassageWords,
    rows.map(({ seq, search_words }) => ({ rowid: rowidOf(account.number, seq), words: search_words })),
  );
}

/** Removes the passages of a document and their words, of all versions but one. */
export async function dropPassages(
  { tx, account, account_id, dialect }: Work,
  of: { document_id: string; but: number | null },
): Promise<void> {
  const seqs = await queries.listPassageSeqs(tx, account_id, of);
  if (seqs.length === 0) return;
  await queries.deletePassages(tx, account_id, dialect.numbers(seqs));
  if (dialect.engine === 'sqlite')
    await queries.deletePassageWords(tx, dialect.numbers(seqs.map((seq) => rowidOf(account.number, seq))));
}
