import { andAll, type Dialect, fragment, type Sql, sql } from '../../db/index.ts';
import { type EntryView, isNewestOfOneBranch } from '../../kernel/index.ts';
import {
  entriesIn,
  type Including,
  includedIn,
  isVersionVisible,
  pathsOf,
  placesIn,
  STOOD_COLUMNS,
  UP_TO_SHOWN,
} from './relation.ts';
import { joinStanding } from './standings.ts';

// Rows of a list are looked up one by one (`leftJoin`): as long as PostgreSQL has no statistics, it may join them by reading the
// whole account.

/** The entries with these numbers; `numbers` as the dialect makes them. */
export function entriesNumbered(view: EntryView, numbers: Sql, including: Including = 'live'): Sql {
  const { account_id, dialect } = view;
  if (!isNewestOfOneBranch(view))
    return sql`${entriesIn(view, { including })} WHERE entry_id IN (SELECT CAST(value AS BIGINT) FROM ${numbers})`;
  const entries: Sql = {
    text: dialect.leftJoin('entries', 'entries.account_id = ? AND entries.entry_id = numbers.value'),
    values: [account_id],
  };
  return sql`${numbers}${entries}
    WHERE entries.entry_id IS NOT NULL AND ${includedIn(view, including)}${andAll(placesIn(view))}`;
}

export type EntryNumbers = { account_id: string; dialect: Dialect; ids: readonly number[] };

/** The heads with these numbers, on any branch and in any state. */
export const headsNumbered = ({ account_id, dialect, ids }: EntryNumbers): Sql => {
  const entries: Sql = {
    text: dialect.leftJoin('entries', 'entries.account_id = ? AND entries.entry_id = numbers.value'),
    values: [account_id],
  };
  return sql`${dialect.numbers(ids)}${entries} WHERE entries.entry_id IS NOT NULL`;
};

/** The entries with these numbers in the newest state of one branch, as a relation with standings. */
export function stoodEntriesNumbered(view: EntryView, ids: readonly number[], including: Including = 'live'): Sql {
  const { account_id, dialect } = view;
  const joined: Sql = {
    text:
      dialect.leftJoin('entries', 'entries.account_id = ? AND entries.entry_id = numbers.value') +
      joinStanding(dialect),
    values: [account_id, account_id],
  };
  return sql`(SELECT ${STOOD_COLUMNS} FROM ${dialect.numbers(ids)}${joined}
    WHERE entries.entry_id IS NOT NULL AND ${includedIn(view, including)}${andAll(placesIn(view))}) AS entries`;
}

/** The entry of each version, looked up by its number. */
export const entriesOfVersions = ({ account_id, dialect }: EntryView): Sql => ({
  text: dialect.leftJoin('entries', 'entries.account_id = ? AND entries.entry_id = versions.entry_id'),
  values: [account_id],
});

/** The versions that these commits wrote and the agent may see; `commitIds` as the dialect makes `texts`. */
export function versionsOfCommitsIn(view: EntryView, commitIds: Sql): Sql {
  const versions: Sql = {
    text: view.dialect.leftJoin('versions', 'versions.account_id = ? AND versions.commit_id = texts.value'),
    values: [view.account_id],
  };
  if (!isNewestOfOneBranch(view))
    return sql`${commitIds}${versions} JOIN ${entriesIn(view, { including: 'all' })}
      ON versions.entry_id = entries.entry_id${fragment(UP_TO_SHOWN)} WHERE ${isVersionVisible(view)}`;
  return sql`${commitIds}${versions}${entriesOfVersions(view)}
    WHERE entries.entry_id IS NOT NULL AND ${isVersionVisible(view)}${andAll(placesIn(view))}`;
}

/**
 * A condition: the commit wrote something in scope that the agent may see, on whatever branch. It is no EXISTS, which
 * PostgreSQL may answer by reading the whole account as long as it has no statistics.
 */
export const isCommitIn = (view: EntryView, commitId: Sql): Sql =>
  sql`(SELECT 1 FROM versions${entriesOfVersions(view)}
      WHERE entries.entry_id IS NOT NULL AND versions.account_id = ${view.account_id} AND versions.commit_id = ${commitId}
        AND ${isVersionVisible(view)}${andAll(pathsOf(view, undefined))} LIMIT 1) IS NOT NULL`;
