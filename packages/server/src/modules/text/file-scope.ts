import { emptySql, type Sql, sql } from '../../db/index.ts';
import { rowidOf } from './indexing.ts';
import type { MatchScope } from './match-syntax.ts';
import type { IndexState, TailText } from './tail.ts';

/** A search on SQLite: the index in its file, and the tail that the file does not have yet. */
export type FileScope = MatchScope & { index: IndexState };

/** Rows of the index up to where it was when the search began: later ones are in the tail, or not in the view. */
export const rowsUpTo = ({ account, index, overlay }: FileScope): Sql =>
  index.tail.length === 0 && !overlay
    ? emptySql
    : sql` AND rowid <= ${rowidOf(account, overlay?.floor ?? index.upto ?? 0)}`;

/** The `seq` of a row of the index. */
export const seqIn = ({ account }: FileScope): Sql => sql`entry_words.rowid - ${rowidOf(account, 0)}`;

/** Texts of the tail at the paths of the search. */
export const tailAt = ({ index, places }: FileScope): readonly TailText[] =>
  places ? index.tail.filter(({ entity_path }) => places.covers(entity_path)) : index.tail;
