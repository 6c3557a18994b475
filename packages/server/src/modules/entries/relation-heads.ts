import { emptySql, fragment, type Sql, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';

// Where its statistics are older than an account, PostgreSQL expects no rows of it: every index that begins with the account
// then seems as good as the one that leads to a single row, and all of the account is read. What is here leaves it no choice.

/**
 * As values, or as columns of what a relation is joined to. Of `among` on SQLite, which has no LATERAL: each part of a relation is
 * joined to it by itself.
 */
export type NameSql = { entity_path: Sql; key: Sql; among?: Sql };

const ENTRIES = fragment('entries');

/**
 * The heads of a branch, for FROM. One that is named is the first row at or after its name in the order of the primary key, of
 * an account that the planner does not see, so that it expects more rows of it than it would sort.
 */
export function headsOf({ account_id, dialect }: EntryView, branch: string, named: NameSql | undefined): Sql {
  if (!named || dialect.engine === 'sqlite') return joinedTo(named, ENTRIES);
  return sql`(SELECT * FROM entries AS x WHERE x.account_id = (SELECT CAST(${account_id} AS text))
      AND (x.branch, x.entity_path, x.key) >= (${branch}, ${named.entity_path}, ${named.key})
    ORDER BY x.account_id, x.branch, x.entity_path, x.key LIMIT 1)`;
}

const joinedTo = (named: NameSql | undefined, heads: Sql): Sql =>
  named?.among ? sql`${named.among} CROSS JOIN ${heads}` : heads;

/** A condition on `head` where names are looked up among several. */
export const isAmong = (named: NameSql | undefined): Sql =>
  named?.among ? sql` AND head.entity_path = ${named.entity_path} AND head.key = ${named.key}` : emptySql;

const KEPT = fragment('kept_entries');

type KeptPart = { branch: string; up_to_seq: number; named: NameSql | undefined };

/** The entries of a branch as they were kept, for FROM. One that is named is found as a head is. */
export function keptOf({ account_id, dialect }: EntryView, { branch, up_to_seq, named }: KeptPart): Sql {
  if (!named || dialect.engine === 'sqlite') return joinedTo(named, KEPT);
  return sql`(SELECT * FROM kept_entries AS x WHERE x.account_id = (SELECT CAST(${account_id} AS text))
      AND (x.branch, x.entity_path, x.key, x.until_seq) > (${branch}, ${named.entity_path}, ${named.key}, ${up_to_seq})
    ORDER BY x.account_id, x.branch, x.entity_path, x.key, x.until_seq LIMIT 1)`;
}

/** Joins to each `head` the newest of its versions up to a place in the log, as `past`. */
export const pastOf = ({ account_id, dialect }: EntryView, upToSeq: number): Sql =>
  dialect.engine === 'sqlite'
    ? sql`JOIN versions AS past ON past.account_id = ${account_id} AND past.entry_id = head.entry_id
        AND past.version = (SELECT newest.version FROM versions AS newest
          WHERE newest.account_id = ${account_id} AND newest.entry_id = head.entry_id AND newest.seq <= ${upToSeq}
          ORDER BY newest.version DESC LIMIT 1)`
    : sql`CROSS JOIN LATERAL (SELECT * FROM versions WHERE versions.account_id = ${account_id}
        AND versions.entry_id = head.entry_id AND versions.seq <= ${upToSeq}
        ORDER BY versions.version DESC LIMIT 1) AS past`;
