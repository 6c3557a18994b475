import { type Dialect, emptySql, fragment, type Query, type Sql, sql } from '../../db/index.ts';
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
  agent_id?: string | undefined;
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

const VERSION = fragment(
  Object.keys(versionColumns)
    .map((name) => `kept.${name}`)
    .join(', '),
);

type WithoutAuthor = { account_id: string; entry_ids: readonly number[]; agent_id: string; after: number };

/** The newest version of each entry, but for those that an agent wrote after a `seq`. None where it wrote all of them. */
export function findVersionsWithout(query: Query, dialect: Dialect, part: WithoutAuthor): Promise<VersionRow[]> {
  const { account_id, entry_ids, agent_id, after } = part;
  const numbers = dialect.numbers(entry_ids);
  const isOther = sql`(seq <= ${after} OR agent_id <> ${agent_id})`;
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
