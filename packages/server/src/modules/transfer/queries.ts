import {
  emptySql,
  type FirstRows,
  fragment,
  type Insert,
  joinSql,
  type Query,
  type Row,
  sql,
  type Transaction,
} from '../../db/index.ts';
import type { ExportedTable } from '../../kernel/index.ts';

type TablePage = { account_id: string; after: Row | undefined; limit: number; bytes: number };

/** Rows of a table in the order of its key, after a row. */
export function listRows(
  query: Query,
  table: ExportedTable,
  { account_id, after, limit, bytes }: TablePage,
): Promise<FirstRows<Row>> {
  const columns = Object.keys(table.columns).filter((name) => name !== 'account_id');
  const from = table.relation?.(account_id) ?? fragment(table.table);
  const key = fragment(table.key.join(', '));
  const place =
    after &&
    joinSql(
      table.key.map((name) => sql`${after[name] ?? null}`),
      ', ',
    );
  const rest = place ? sql` AND (${key}) > (${place})` : emptySql;
  return query.first<Row>(
    sql`SELECT ${fragment(columns.join(', '))} FROM ${from} WHERE account_id = ${account_id}${rest}
        ORDER BY ${key} LIMIT ${limit}`,
    { columns: columns.filter((name) => table.columns[name] === 'text'), bytes },
  );
}

export async function countRows(query: Query, accountId: string, table: ExportedTable): Promise<number> {
  const found = await query.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM ${fragment(table.table)} WHERE account_id = ${accountId}`,
  );
  return found?.n ?? 0;
}

export const insertLines: Insert = {
  table: 'import_lines',
  columns: { account_id: 'text', no: 'int', line: 'text' },
};

export type ImportLineRow = { no: number; line: string };

export function getLine(query: Query, accountId: string, no: number): Promise<ImportLineRow | undefined> {
  return query.get<ImportLineRow>(
    sql`SELECT no, line FROM import_lines WHERE account_id = ${accountId} AND no = ${no}`,
  );
}

export function getLastLine(query: Query, accountId: string): Promise<ImportLineRow | undefined> {
  return query.get<ImportLineRow>(
    sql`SELECT no, line FROM import_lines WHERE account_id = ${accountId} ORDER BY no DESC LIMIT 1`,
  );
}

export function listLines(query: Query, accountId: string, { after, limit }: { after: number; limit: number }) {
  return query.all<ImportLineRow>(
    sql`SELECT no, line FROM import_lines WHERE account_id = ${accountId} AND no > ${after} ORDER BY no LIMIT ${limit}`,
  );
}

export async function sumLines(query: Pick<Query, 'get'>, accountId: string): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT CAST(coalesce(sum(${fragment('octet_length(line)')}), 0) AS BIGINT) AS n FROM import_lines
        WHERE account_id = ${accountId}`,
  );
  return row?.n ?? 0;
}

export function deleteLines(tx: Transaction, accountId: string): Promise<number> {
  return tx.run(sql`DELETE FROM import_lines WHERE account_id = ${accountId}`);
}

/** Deletes the rows of a table before it is filled from an import. */
export function deleteRows(tx: Transaction, accountId: string, table: ExportedTable): Promise<number> {
  return tx.run(sql`DELETE FROM ${fragment(table.table)} WHERE account_id = ${accountId}`);
}
