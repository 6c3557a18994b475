import {
  andAll,
  type FirstRows,
  fragment,
  type Insert,
  pause,
  type Query,
  type Sql,
  sql,
  type Transaction,
} from '@mem-service/server/module';
import type { ConflictReason } from './rules/states.ts';

/** What a conflict takes. */
export type Take = 'source' | 'target' | 'base' | 'value';

export type ConflictRow = {
  account_id: string;
  merge_id: string;
  no: number;
  entity_path: string;
  key: string;
  reason: ConflictReason;
  /** JSON list of pointers to what both sides changed. */
  fields: string;
  base_entry: number | null;
  base_version: number | null;
  source_entry: number | null;
  source_version: number | null;
  target_entry: number | null;
  target_version: number | null;
  /** Empty for everyone, or the agent whose private entry it is about. */
  visible_to: string;
  take: Take | null;
  /** JSON of the value that it takes. */
  value: string | null;
  resolved_by: string | null;
  resolved_at: number | null;
};

export const insertConflicts: Insert = {
  table: 'merge_conflicts',
  columns: {
    account_id: 'text',
    merge_id: 'text',
    no: 'int',
    entity_path: 'text',
    key: 'text',
    reason: 'text',
    fields: 'text',
    base_entry: 'int',
    base_version: 'int',
    source_entry: 'int',
    source_version: 'int',
    target_entry: 'int',
    target_version: 'int',
    visible_to: 'text',
    take: 'text',
    value: 'text',
    resolved_by: 'text',
    resolved_at: 'int',
  },
};

const CONFLICT = fragment(Object.keys(insertConflicts.columns).join(', '));

export const updateResolutions = {
  table: 'merge_conflicts',
  set: { take: 'text', value: 'text', resolved_by: 'text', resolved_at: 'int' },
  by: { account_id: 'text', merge_id: 'text', no: 'int' },
} as const;

type OfMerge = { account_id: string; merge_id: string };

export function getConflict(
  query: Query,
  { account_id, merge_id }: OfMerge,
  no: number,
): Promise<ConflictRow | undefined> {
  return query.get(
    sql`SELECT ${CONFLICT} FROM merge_conflicts WHERE account_id = ${account_id} AND merge_id = ${merge_id} AND no = ${no}`,
  );
}

const CONFLICTS_PER_STATEMENT = 1000;

/** All conflicts of a merge that meet conditions; who may see them is one of these. */
export async function listAllConflicts(
  query: Query,
  { account_id, merge_id }: OfMerge,
  filters: readonly Sql[] = [],
): Promise<ConflictRow[]> {
  const all: ConflictRow[] = [];
  for (let after = -1; ; ) {
    const rows = await query.all<ConflictRow>(
      sql`SELECT ${CONFLICT} FROM merge_conflicts WHERE account_id = ${account_id} AND merge_id = ${merge_id}
            AND no > ${after}${andAll(filters)} ORDER BY no LIMIT ${CONFLICTS_PER_STATEMENT}`,
    );
    for (const row of rows) all.push(row);
    const last = rows.at(-1);
    if (!last || rows.length < CONFLICTS_PER_STATEMENT) return all;
    after = last.no;
    await pause();
  }
}

export type ConflictPage = OfMerge & { after: number; filters: readonly Sql[]; limit: number; bytes: number };

export function listConflicts(query: Query, page: ConflictPage): Promise<FirstRows<ConflictRow>> {
  const { account_id, merge_id, after, filters, limit, bytes } = page;
  return query.first(
    sql`SELECT ${CONFLICT} FROM merge_conflicts WHERE account_id = ${account_id} AND merge_id = ${merge_id}
          AND no > ${after}${andAll(filters)} ORDER BY no LIMIT ${limit}`,
    { columns: ['entity_path', 'key', 'fields', 'value'], bytes },
  );
}

export async function countConflicts(
  query: Query,
  { account_id, merge_id }: OfMerge,
  filters: readonly Sql[],
): Promise<number> {
  const found = await query.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM merge_conflicts WHERE account_id = ${account_id} AND merge_id = ${merge_id}${andAll(filters)}`,
  );
  return found?.n ?? 0;
}

export function deleteConflicts(tx: Transaction, { account_id, merge_id }: OfMerge): Promise<number> {
  return tx.run(sql`DELETE FROM merge_conflicts WHERE account_id = ${account_id} AND merge_id = ${merge_id}`);
}
