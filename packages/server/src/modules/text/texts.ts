import type { Engine } from '../../db/index.ts';
import { markAll, markOf, toTsvector } from './indexing.ts';
import { syntaxOf } from './match-syntax.ts';
import { parseQuery } from './rules/query.ts';
import { wordsOfEntry, wordsOfEntryInSteps } from './rules/words.ts';

/** The words of texts in the form that the engine's index takes. */
export function indexedWords(engine: Engine, account: number, texts: readonly string[]): string {
  return indexedForm(engine, account, wordsOfEntry({ entity_path: '', key: '', value: texts }));
}

/** Words in the form that the engine's index takes. */
export function indexedForm(engine: Engine, account: number, words: readonly string[]): string {
  const mark = markOf(account);
  return engine === 'postgres' ? toTsvector(mark, words) : markAll(mark, words);
}

/** The words of texts and of JSON values, in steps. */
export const wordsOfValuesInSteps = (values: readonly unknown[]): Generator<void, string[]> =>
  wordsOfEntryInSteps({ entity_path: '', key: '', value: values });

/** An expression that requires every term of a query; undefined where the query has none. */
export function everyTermExpression(engine: Engine, account: number, query: string): string | undefined {
  const terms = parseQuery(query);
  if (terms.length === 0) return undefined;
  const syntax = syntaxOf(engine);
  return syntax.every(terms.map((term) => syntax.term(term, account)));
}
