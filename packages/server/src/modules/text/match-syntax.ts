import type { Glob } from '@mem-service/contract';
import type { Engine, Sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { wordIn } from './indexing.ts';
import type { Term } from './rules/query.ts';
import type { IndexState, TailText } from './tail.ts';
import type { TextsByWord } from './texts-by-word.ts';

/** A full-text expression in the engine's syntax. Words are letters and digits, so quoting is all it needs. */
export type Expression = string;

type MatchSyntax = {
  term(term: Term, account: number): Expression;
  any(parts: readonly Expression[]): Expression;
  every(parts: readonly Expression[]): Expression;
  without(expression: Expression, other: Expression): Expression;
};

const joined = (operator: string) => (parts: readonly Expression[]) => parts.map((part) => `(${part})`).join(operator);

const syntaxes: Record<Engine, MatchSyntax> = {
  sqlite: {
    term: ({ words, prefix }, account) =>
      `"${words.map((word) => wordIn(account, word)).join(' ')}"${prefix ? ' *' : ''}`,
    any: joined(' OR '),
    every: joined(' AND '),
    without: (expression, other) => `(${expression}) NOT (${other})`,
  },
  postgres: {
    term: ({ words, prefix }, account) =>
      words.map((word, i) => `'${wordIn(account, word)}'${prefix && i === words.length - 1 ? ':*' : ''}`).join(' <-> '),
    any: joined(' | '),
    every: joined(' & '),
    without: (expression, other) => `(${expression}) & !(${other})`,
  },
};

export const syntaxOf = (engine: Engine): MatchSyntax => syntaxes[engine];

/**
 * `view` is set for a scoped caller, so that entries out of scope are neither counted nor ranked. `index` is set on SQLite,
 * and with it `places` where a search is about some paths, and `scoped` where its caller is; `column` is set on PostgreSQL.
 */
export type MatchScope = {
  engine: Engine;
  account_id: string;
  account: number;
  /** How many matches are looked at for common words, if not as many as usual. */
  most: number | undefined;
  view: EntryView | undefined;
  index: IndexState | undefined;
  places: FilePlaces | undefined;
  scoped: FilePlaces | undefined;
  column: ColumnScope | undefined;
  /** Set where a view shows more than rows of the index up to a place in the log. */
  overlay?: OverlayTexts | undefined;
};

/** Texts beside the index. */
export type OverlayTexts = {
  /** The index is asked for rows up to this `seq`. */
  floor: number;
  texts: readonly TailText[];
  /** Theirs: the index may have them too. */
  seqs: ReadonlySet<number>;
  /** These, and others that are not meant. */
  byWord: TextsByWord;
  /** Whether a text is in the scope of the caller, and whether it is also at the paths of the search; undefined where all are. */
  isCounted: IsCovered;
  isShown: IsCovered;
};

export type IsCovered = ((text: TailText) => boolean) | undefined;

/** `n`: in how many entries the term is. */
export type RankedTerm = { term: Term; idf: number; n: number };

/** The words of entries that the index of SQLite has; empty where they are long. */
export type PlacedTexts = { seqs: readonly number[]; texts: readonly string[] };

/** Entries at some paths, as far as the index of SQLite has them. */
export type FilePlaces = {
  covers(path: string): boolean;
  /** A condition: the `seq` is that of an entry at these paths. */
  isAt(seq: Sql): Sql;
  /** All of them, if they are few. */
  few(): Promise<PlacedTexts | undefined>;
  /** Whether `few` was asked for. */
  isRead(): boolean;
  /** All of them, in parts; undefined where there are too many paths. */
  parts: (() => AsyncIterable<PlacedTexts>) | undefined;
};

/** Where the words are a column of the entries. Conditions are on columns of the view `words_of_entries`. */
export type ColumnScope = {
  /** The newest `seq` of the account. */
  newest: number;
  /** Further conditions on matches, which do not change what is counted. */
  filters: readonly Sql[];
  /** Sets of conditions that few entries of the account meet in all, and none meets two of: these are read one by one. */
  few: readonly (readonly Sql[])[] | undefined;
  /** The paths that the search is about, none of which covers another. */
  globs: readonly Glob[];
};

export const expressionOf = ({ engine, account }: MatchScope, term: Term): Expression =>
  syntaxes[engine].term(term, account);

/** `complete`: there are no further matches. */
export type NewestMatches = { seqs: number[]; complete: boolean };

export type Ranked = { seq: number; score: number };

/** Whether a text is wanted, by the terms it has. */
export type AcceptedTerms = (has: (term: Term) => boolean) => boolean;

/** `accepts` says the same as the expression; it asks for no other terms than `terms`. */
export type WantedMatches = {
  expression: Expression;
  terms: readonly Term[];
  accepts: AcceptedTerms;
  limit: number;
};
