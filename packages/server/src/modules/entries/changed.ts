import { type Dialect, emptySql, fragment, joinSql, type Query, type Sql, sql } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { entriesIn } from './relation.ts';
import { type EntryRow, type VersionRow, versionColumns } from './rows.ts';

export type ChangedHead = Pick<
  EntryRow,
  'entry_id' | 'entity_path' | 'key' | 'seq' | 'agent_id' | 'shared' | 'deleted'
>;

type ChangedPart = {
  account_id: string;
  branch: string;
  after: number;
  limit: number;
  /** Only entries whose newest version this agent wrote. */
  agent_id?: string;
};

const CHANGED = fragment('entry_id, entity_path, key, seq, agent_id, shared, deleted');

/** The entries of a branch itself that were written after a `seq`, in the order of the log and in any state. */
export function listChangedHeads(query: Query, part: ChangedPart): Promise<ChangedHead[]> {
  const { account_id, branch, after, limit, agent_id } = part;
  const author: Sql = agent_id === undefined ? emptySql : sql` AND agent_id = ${agent_id}`;
  return query.all<ChangedHead>(
    sql`SELECT ${CHANGED} FROM entries WHERE account_id = ${account_id} AND branch = ${branch}${author} AND seq > ${after}
        ORDER BY seq LIMIT ${limit}`,
  );
}

/** The `seq` of the last write to a branch itself; 0 where there was none. */
export async function newestChangeOn(query: Query, accountId: string, branch: string): Promise<number> {
  const found = await query.get<{ seq: number }>(
    sql`SELECT seq FROM entries WHERE account_id = ${accountId} AND branch = ${branch} ORDER BY seq DESC LIMIT 1`,
  );
  return found?.seq ?? 0;
}

export type WaitingPart = {
  account_id: string;
  branch: string;
  after: number;
  /** Until when a write counts for `newest_seq`. */
  before: number;
  /** Entries, and versions of each, that are looked at. */
  entries: number;
  versions: number;
};

/** The first write to a branch itself after a `seq` that everyone may see, and the newest one before another; null where there is none. */
export async function rangeOfChanges(
  query: Query,
  { account_id, branch, after, before, entries, versions }: WaitingPart,
): Promise<{ oldest_seq: number | null; newest_seq: number | null }> {
  const found = await query.get<{ oldest_seq: number | null; newest_seq: number | null }>(
    sql`SELECT min(versions.seq) AS oldest_seq, max(CASE WHEN versions.seq < ${before} THEN versions.seq END) AS newest_seq
        FROM (SELECT entry_id, version FROM entries
              WHERE account_id = ${account_id} AND branch = ${branch} AND seq > ${after} ORDER BY seq LIMIT ${entries}) AS changed
        JOIN versions ON versions.account_id = ${account_id} AND versions.entry_id = changed.entry_id
          AND versions.version > changed.version - ${versions}
        WHERE versions.seq > ${after} AND versions.shared = 1`,
  );
  return found ?? { oldest_seq: null, newest_seq: null };
}

type AuthoredPart = { agent_id: string; after: number; limit: number };

/** The live entries of a view that an agent wrote last, after a `seq` and in the order of the log. */
export function listAuthoredHeads(query: Query, view: EntryView, part: AuthoredPart): Promise<ChangedHead[]> {
  const { agent_id, after, limit } = part;
  return query.all<ChangedHead>(
    sql`SELECT ${CHANGED} FROM ${entriesIn(view)} WHERE agent_id = ${agent_id} AND seq > ${after} ORDER BY seq LIMIT ${limit}`,
  );
}

const VERSION = fragment(
  Object.keys(versionColumns)
    .map((name) => `kept.${name}`)
    .join(', '),
);

type EarlierPart = {
  account_id: string;
  entry_ids: readonly number[];
  /** The place in the log. */
  seq: number;
  /** Also versions of others that came later. */
  without?: readonly string[] | undefined;
};

/** The newest version of each entry, up to a place in the log, or by others than some agents. None where there is none. */
export function findEarlierVersions(query: Query, dialect: Dialect, part: EarlierPart): Promise<VersionRow[]> {
  const { account_id, entry_ids, seq, without } = part;
  const numbers = dialect.numbers(entry_ids);
  const agents = without?.map((agent) => sql`${agent}`);
  const isOther = agents ? sql`(seq <= ${seq} OR agent_id NOT IN (${joinSql(agents, ', ')}))` : sql`seq <= ${seq}`;
  if (dialect.engine === 'sqlite')
    return query.all<VersionRow>(
      sql`SELECT ${VERSION} FROM ${numbers} CROSS JOIN versions AS kept
          WHERE kept.account_id = ${account_id} AND kept.entry_id = CAST(numbers.value AS BIGINT)
            AND kept.version = (SELECT version FROM versions WHERE account_id = ${account_id}
              AND entry_id = kept.entry_id AND ${isOther} ORDER BY version DESC LIMIT 1)`,
    );
  return query.all<VersionRow>(
    sql`SELECT ${VERSION} FROM ${numbers} CROSS JOIN LATERAL (SELECT * FROM versions
          WHERE account_id = ${account_id} AND entry_id = CAST(numbers.value AS BIGINT) AND ${isOther}
          ORDER BY version DESC LIMIT 1) AS kept`,
  );
}
