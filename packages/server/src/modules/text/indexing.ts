import type { Work } from '../../kernel/index.ts';
import { deleteWords, insertWords } from './queries.ts';
import { wordsOfEntry } from './rules/words.ts';

export type WordChange = {
  /** Where the entry stood in the index before, if it did. */
  oldSeq: number | undefined;
  seq: number;
  entity_path: string;
  key: string;
  /** `undefined`: it is no longer to be found. */
  value: unknown;
};

const ROWS_PER_ACCOUNT = 2 ** 33;

/** SQLite's index has one number space for all accounts; each account has its own range in it, in the order of the log. */
export const rowidOf = (accountNumber: number, seq: number): number => accountNumber * ROWS_PER_ACCOUNT + seq;

export const markOf = (accountNumber: number): string => `${accountNumber.toString(36)}·`;

/** Every word carries the account it belongs to, so that no account's words are ever looked through for another. */
export const wordIn = (accountNumber: number, word: string): string => `${markOf(accountNumber)}${word}`;

/** Indexes the entries. On PostgreSQL the words are columns of the entry and are given back to be written with it. */
export function indexWords(
  work: Work,
  changes: readonly WordChange[],
): { search_words: string; word_count: number }[] | undefined {
  const { number } = work.account;
  const mark = markOf(number);
  const texts = changes.map((change) => (change.value === undefined ? [] : wordsOfEntry(change)));
  if (work.dialect.engine === 'postgres')
    return texts.map((words) => ({ search_words: toTsvector(mark, words), word_count: words.length }));
  for (const { oldSeq } of changes) if (oldSeq !== undefined) work.send(deleteWords(work.tx, rowidOf(number, oldSeq)));
  const rows = changes.flatMap(({ seq, value }, i) =>
    value === undefined ? [] : [{ rowid: rowidOf(number, seq), words: markAll(mark, texts[i] as string[]) }],
  );
  work.send(work.tx.insertMany(insertWords, rows));
  return undefined;
}

export const markAll = (mark: string, words: readonly string[]): string =>
  words.length === 0 ? '' : `${mark}${words.join(` ${mark}`)}`;

const MAX_POSITION = 16383;

/** `'word':1,5 'other':2`: words hold letters and digits alone, so nothing needs escaping. */
export function toTsvector(mark: string, words: readonly string[]): string {
  const positions = new Map<string, number[]>();
  words.forEach((word, i) => {
    const known = positions.get(word);
    if (known) known.push(Math.min(i + 1, MAX_POSITION));
    else positions.set(word, [Math.min(i + 1, MAX_POSITION)]);
  });
  return [...positions].map(([word, at]) => `'${mark}${word}':${at.slice(0, 255).join(',')}`).join(' ');
}
