import type { EntryKey } from '@mem-service/contract';
import { andAll, emptySql, fragment, joinSql, type Sql, sql } from '../../db/index.ts';
import { type BranchSpan, type EntryView, isNewestOfOneBranch } from '../../kernel/index.ts';
import { entriesIn, versionsIn } from './relation.ts';
import { entryNamed, isNamed, nameOf } from './relation-by-name.ts';
import { headsOf } from './relation-heads.ts';
import { QUARANTINED } from './rules/state.ts';

/** Of versions. */
export const NEWEST = fragment('ORDER BY versions.version DESC LIMIT 1');

export type VersionsOfOne = {
  /** On columns of `versions`. */
  where: Sql;
  /** Order and limit. */
  last?: Sql;
  /** With the entry as the view shows it and its standing, as `entries`, if it fulfils a condition. */
  shown?: Sql;
};

/**
 * Versions of the entry with this name, without a visibility check of their entry, for FROM. On PostgreSQL the versions are read
 * after their entry and by its number, whatever the planner takes the account for.
 */
export function versionsNamed(view: EntryView, at: EntryKey, of: VersionsOfOne): Sql {
  const { where, last, shown } = of;
  const { account_id, dialect } = view;
  if (!isNewestOfOneBranch(view)) return inheritedVersions(view, at, of);
  const end = last ? sql` ${last}` : emptySql;
  const which = sql`${isNamed(at)}${outOfQuarantine(view)}${shown ? sql` AND ${shown}` : emptySql}`;
  const standings = shown !== undefined;
  if (dialect.engine === 'sqlite') return sql`${versionsIn(view, { standings })} WHERE ${which} AND ${where}${end}`;
  return sql`${entriesIn(view, { including: 'all', standings, named: nameOf(at) })}
    CROSS JOIN LATERAL (SELECT * FROM versions WHERE versions.account_id = ${account_id}
      AND versions.entry_id = entries.entry_id AND ${where}${last ? end : fragment(dialect.fence)}) AS versions
    WHERE ${which}${end}`;
}

const outOfQuarantine = ({ with_quarantined }: EntryView): Sql =>
  with_quarantined ? emptySql : sql` AND entries.deleted <> ${QUARANTINED}`;

/** The numbers of the versions are sorted, and few documents. */
function inheritedVersions(view: EntryView, at: EntryKey, { where, last, shown }: VersionsOfOne): Sql {
  const end = last ? sql` ${last}` : emptySql;
  const spans = view.lineage.map((span, i) =>
    versionsOfSpan(view, at, { span, nearer: view.lineage.slice(0, i), where, end }),
  );
  const numbers = sql`(SELECT entry_id, version FROM (${joinSql(spans, ' UNION ALL ')}) AS versions${end}) AS numbers`;
  const found = sql`${numbers} CROSS JOIN versions`;
  const isFound = sql`versions.account_id = ${view.account_id} AND versions.entry_id = numbers.entry_id
    AND versions.version = numbers.version`;
  if (!shown) return sql`${found} WHERE ${isFound}${end}`;
  const entry = sql`(SELECT * FROM ${entryNamed(view, at, { including: 'all', standings: true })}) AS entries`;
  return sql`${entry} CROSS JOIN ${found} WHERE ${shown} AND ${isFound}${end}`;
}

type SpanVersions = { span: BranchSpan; nearer: readonly BranchSpan[]; where: Sql; end: Sql };

/** Those of a farther span end where the nearest own ones begin, although it may have others with the same numbers. */
function versionsOfSpan(view: EntryView, at: EntryKey, { span, nearer, where, end }: SpanVersions): Sql {
  const { account_id, dialect } = view;
  const { up_to_seq } = span;
  const until = up_to_seq === null ? emptySql : sql` AND versions.seq <= ${up_to_seq}`;
  const before = andAll(nearer.map((one) => sql`versions.version < ${firstIn(view, at, one)}`));
  const isOf = sql`versions.account_id = ${account_id} AND versions.entry_id = head.entry_id${until}${before} AND ${where}`;
  const head = headIn(view, at, span);
  if (dialect.engine === 'sqlite')
    return sql`SELECT * FROM (SELECT versions.entry_id, versions.version FROM ${head} AS head CROSS JOIN versions WHERE ${isOf}${end})`;
  return sql`SELECT versions.* FROM ${head} AS head CROSS JOIN LATERAL (SELECT versions.entry_id, versions.version
    FROM versions WHERE ${isOf}${end.text === '' ? fragment(dialect.fence) : end}) AS versions`;
}

/** The entry of a branch itself, if it was there then: its number is the `seq` of its first version. */
function headIn(view: EntryView, at: EntryKey, { branch, up_to_seq }: BranchSpan): Sql {
  const until = up_to_seq === null ? emptySql : sql` AND entries.entry_id <= ${up_to_seq}`;
  return sql`(SELECT entries.entry_id FROM ${headsOf(view, branch, nameOf(at))} AS entries
    WHERE entries.account_id = ${view.account_id} AND entries.branch = ${branch} AND ${isNamed(at)}${until}${outOfQuarantine(view)})`;
}

const firstIn = (view: EntryView, at: EntryKey, span: BranchSpan): Sql =>
  sql`COALESCE((SELECT min(own.version) FROM ${headIn(view, at, span)} AS nearer JOIN versions AS own
    ON own.account_id = ${view.account_id} AND own.entry_id = nearer.entry_id), ${Number.MAX_SAFE_INTEGER})`;
