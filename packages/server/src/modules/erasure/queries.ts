import { andAll, fragment, joinSql, type Query, type Row, type Sql, sql, type Transaction } from '../../db/index.ts';
import type { ErasedAgent, ErasedEntries } from '../../kernel/index.ts';

// The modules that own the tables declare these tables and columns.

type NamedTable = { table: string; hasKey: boolean };

const namesErased = ({ table, hasKey }: NamedTable, { account_id, paths, keys, names }: ErasedEntries): Sql =>
  sql`account_id = ${account_id} AND entity_path IS NOT NULL${andAll([...paths, ...(hasKey ? keys : [])])}
    AND ${names(table, hasKey ? 'path and key' : 'path')}`;

/** Deletes the rows that refer to an erased entry. */
export function deleteNamed(tx: Transaction, named: NamedTable, erased: ErasedEntries): Promise<number> {
  return tx.run(sql`DELETE FROM ${fragment(named.table)} WHERE ${namesErased(named, erased)}`);
}

export function blankNames(
  tx: Transaction,
  named: NamedTable & { columns: readonly string[] },
  erased: ErasedEntries,
): Promise<number> {
  const sets = fragment(named.columns.map((column) => `${column} = NULL`).join(', '));
  return tx.run(sql`UPDATE ${fragment(named.table)} SET ${sets} WHERE ${namesErased(named, erased)}`);
}

type AgentPlace = { table: string; column: string };

const naming = (column: string, { account_id, agent_id }: Pick<ErasedAgent, 'account_id' | 'agent_id'>): Sql =>
  sql`account_id = ${account_id} AND ${fragment(column)} = ${agent_id}`;

export async function countNamed(
  query: Query,
  { table, column }: AgentPlace,
  agent: Pick<ErasedAgent, 'account_id' | 'agent_id'>,
): Promise<number> {
  const row = await query.get<{ n: number }>(
    sql`SELECT count(*) AS n FROM ${fragment(table)} WHERE ${naming(column, agent)}`,
  );
  return row?.n ?? 0;
}

/** Some rows of a table, by its key. */
type SomeRows = AgentPlace & { key: readonly string[]; limit: number };

function someNaming({ table, column, key, limit }: SomeRows, agent: ErasedAgent): Sql {
  const columns = fragment(key.join(', '));
  return sql`account_id = ${agent.account_id} AND (${columns}) IN (
    SELECT ${columns} FROM ${fragment(table)} WHERE ${naming(column, agent)} LIMIT ${limit})`;
}

export function deleteNaming(tx: Transaction, rows: SomeRows, agent: ErasedAgent): Promise<number> {
  return tx.run(sql`DELETE FROM ${fragment(rows.table)} WHERE ${someNaming(rows, agent)}`);
}

export function renameIn(
  tx: Transaction,
  { also, ...rows }: SomeRows & { also: Row },
  agent: ErasedAgent,
): Promise<number> {
  const sets = Object.entries({ [rows.column]: agent.alias, ...also }).map(
    ([name, value]) => sql`${fragment(name)} = ${value}`,
  );
  return tx.run(sql`UPDATE ${fragment(rows.table)} SET ${joinSql(sets, ', ')} WHERE ${someNaming(rows, agent)}`);
}

/**
 * How many erasures wait for compaction of the file. SQLite stores the number in its file header (`PRAGMA user_version`),
 * so that the next process continues if this one ends early.
 */
export async function countUncompacted(tx: Transaction): Promise<number> {
  return (await tx.get<{ user_version: number }>(fragment('PRAGMA user_version')))?.user_version ?? 0;
}

export function setUncompacted(tx: Transaction, count: number): Promise<number> {
  return tx.run(fragment(`PRAGMA user_version = ${count}`));
}

export async function fileSize(query: Query): Promise<number> {
  const pages = await query.get<{ page_count: number }>(fragment('PRAGMA page_count'));
  const page = await query.get<{ page_size: number }>(fragment('PRAGMA page_size'));
  return (pages?.page_count ?? 0) * (page?.page_size ?? 0);
}

export const rewriteFile: Sql = fragment('VACUUM main');
export const emptyWal: Sql = fragment('PRAGMA wal_checkpoint(TRUNCATE)');

export const freeRows = (table: string): Sql => fragment(`VACUUM ${table}`);
