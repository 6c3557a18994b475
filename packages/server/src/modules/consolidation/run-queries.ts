import type { Glob } from '@mem-service/contract';
import { fragment, type Insert, joinSql, type Query, type Sql, sql, type Transaction } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { entriesIn } from '../entries/index.ts';

/** What one agent with one key scope has consolidated at one path, and the newest run of it. */
export type RunRow = {
  account_id: string;
  coverage: string;
  run_id: string;
  status: string;
  agent_id: string;
  /** A glob. */
  entity_path: string;
  /** JSON of the scope of the key; `null` is the whole account. */
  scope: string;
  /** What was written and judged is looked at from here up to `until_seq`. */
  done_seq: number;
  until_seq: number;
  /** What is old enough to be stale is looked at from here up to `stale_until_seq`. */
  stale_seq: number;
  stale_until_seq: number;
  runs: number;
  demoted: number;
  run_looked_at: number;
  run_demoted: number;
  run_proposed: number;
  is_full: number;
  failures: number;
  started_at: number;
  finished_at: number | null;
};

const runColumns = {
  account_id: 'text',
  coverage: 'text',
  run_id: 'text',
  status: 'text',
  agent_id: 'text',
  entity_path: 'text',
  scope: 'text',
  done_seq: 'int',
  until_seq: 'int',
  stale_seq: 'int',
  stale_until_seq: 'int',
  runs: 'int',
  demoted: 'int',
  run_looked_at: 'int',
  run_demoted: 'int',
  run_proposed: 'int',
  is_full: 'int',
  failures: 'int',
  started_at: 'int',
  finished_at: 'int',
} as const;

export const upsertRun: Insert = {
  table: 'consolidation_runs',
  columns: runColumns,
  suffix: `ON CONFLICT (account_id, coverage) DO UPDATE SET ${Object.keys(runColumns)
    .slice(2)
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`,
};

const RUN = fragment(Object.keys(runColumns).join(', '));

export function getRun(query: Query, accountId: string, coverage: string): Promise<RunRow | undefined> {
  return query.get(
    sql`SELECT ${RUN} FROM consolidation_runs WHERE account_id = ${accountId} AND coverage = ${coverage}`,
  );
}

/** At most as many as an account may keep. */
export function listRuns(query: Query, accountId: string): Promise<RunRow[]> {
  return query.all(
    sql`SELECT ${RUN} FROM consolidation_runs WHERE account_id = ${accountId} ORDER BY started_at DESC, coverage`,
  );
}

export function deleteRun(tx: Transaction, accountId: string, coverage: string): Promise<number> {
  return tx.run(sql`DELETE FROM consolidation_runs WHERE account_id = ${accountId} AND coverage = ${coverage}`);
}

export type ChangedStretch = { paths: readonly Glob[] | undefined; after: number; upTo: number; most: number };

/** The entries of a view whose newest version lies in a stretch of the log, tombstones too. */
export function listChanged(
  query: Query,
  view: EntryView,
  { paths, after, upTo, most }: ChangedStretch,
): Promise<{ entry_id: number; seq: number }[]> {
  return query.all(
    sql`SELECT entry_id, seq FROM ${entriesIn(view, { including: 'visible', paths })}
        WHERE seq > ${after} AND seq <= ${upTo} ORDER BY seq LIMIT ${most}`,
  );
}

/** The first live entries at some paths. */
export function listAt(
  query: Query,
  view: EntryView,
  { paths, most }: { paths: readonly Glob[] | undefined; most: number },
): Promise<{ entry_id: number }[]> {
  return query.all(sql`SELECT entry_id FROM ${entriesIn(view, { paths })} ORDER BY entity_path, key LIMIT ${most}`);
}

export type RememberedMark = { account_id: string; mark: number; entry_id: number };

export const insertMarks: Insert = {
  table: 'consolidation_marks',
  columns: { account_id: 'text', mark: 'int', entry_id: 'int' },
  suffix: 'ON CONFLICT (account_id, mark, entry_id) DO NOTHING',
};

/** The entries with these marks. */
export function listMarked(
  query: Query,
  accountId: string,
  { marks, most }: { marks: readonly number[]; most: number },
): Promise<{ mark: number; entry_id: number }[]> {
  const each = marks.map((mark) => sql`${mark}`);
  return query.all(
    sql`SELECT mark, entry_id FROM consolidation_marks WHERE account_id = ${accountId} AND mark IN (${joinSql(each, ', ')})
        ORDER BY mark, entry_id LIMIT ${most}`,
  );
}

/** `ids` as the dialect makes `numbers`. */
export function deleteMarks(tx: Transaction, accountId: string, ids: Sql): Promise<number> {
  return tx.run(
    sql`DELETE FROM consolidation_marks WHERE account_id = ${accountId}
          AND entry_id IN (SELECT CAST(value AS BIGINT) FROM ${ids})`,
  );
}
