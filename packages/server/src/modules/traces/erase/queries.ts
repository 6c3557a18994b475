import { andAll, fragment, joinSql, type Query, type Sql, sql, type Transaction } from '../../../db/index.ts';
import { type ErasedAgent, type ErasedEntries, visibleTo } from '../../../kernel/index.ts';
import { linesOfEntries } from '../../ledger/index.ts';

/** The parts that name erased entries, and those that refer only to their path. */
function partsAt({ account_id, agent_id, paths, keys, names }: ErasedEntries, where: Sql): Sql {
  const isNamed = keys.length === 0 ? sql`true` : joinSql(keys, ' AND ');
  return sql`account_id = ${account_id} AND ${where} AND entity_path IS NOT NULL${andAll(paths)}
    AND (key IS NULL OR ${isNamed}) AND (${visibleTo(agent_id)} OR ${names('trace_items', 'path and key')})`;
}

const ledgerItemsOf = ({ account_id, namedIds }: ErasedEntries): Sql => linesOfEntries(account_id, namedIds);

/** Found by path, or through ledger lines where the ledger holds the same. */
const parts = (erased: ErasedEntries): readonly Sql[] => [
  partsAt(erased, sql`in_ledger = 0`),
  partsAt(erased, sql`in_ledger = 1 AND seq IN (SELECT told.seq FROM (${ledgerItemsOf(erased)}) AS told)`),
];

const sumOf = async (query: Query, bytes: string, from: Sql): Promise<number> =>
  (await query.get<{ n: number }>(sql`SELECT CAST(coalesce(sum(${fragment(bytes)}), 0) AS BIGINT) AS n FROM ${from}`))
    ?.n ?? 0;

export async function sumTraceItems(query: Query, erased: ErasedEntries): Promise<number> {
  let bytes = 0;
  for (const where of parts(erased)) bytes += await sumOf(query, 'octet_length(data)', sql`trace_items WHERE ${where}`);
  return bytes;
}

/** Bytes of the traces of an agent and of their parts. */
export async function sumTracesOf(query: Query, agent: ErasedAgent): Promise<number> {
  const items = sql`trace_items WHERE account_id = ${agent.account_id}
    AND seq IN (SELECT seq FROM traces WHERE ${ofAgent(agent)})`;
  return (
    (await sumOf(query, 'octet_length(data)', items)) +
    (await sumOf(query, 'octet_length(header)', sql`traces WHERE ${ofAgent(agent)}`))
  );
}

/** Erases names and content; hashes stay, so that the rest can still be verified. Must run before the ledger's eraser. */
export async function eraseTraceItems(tx: Transaction, erased: ErasedEntries): Promise<number> {
  let count = 0;
  for (const where of parts(erased))
    count += await tx.run(
      sql`UPDATE trace_items SET entity_path = NULL, key = NULL, entry_id = NULL, data = NULL WHERE ${where}`,
    );
  return count;
}

export async function countTraceItems(query: Query, erased: ErasedEntries): Promise<number> {
  let count = 0;
  for (const where of parts(erased))
    count += (await query.get<{ n: number }>(sql`SELECT count(*) AS n FROM trace_items WHERE ${where}`))?.n ?? 0;
  return count;
}

const ofAgent = ({ account_id, agent_id }: ErasedAgent): Sql =>
  sql`account_id = ${account_id} AND agent_id = ${agent_id}`;

export async function listTraceSeqs(query: Query, agent: ErasedAgent): Promise<number[]> {
  const rows = await query.all<{ seq: number }>(sql`SELECT seq FROM traces WHERE ${ofAgent(agent)}`);
  return rows.map(({ seq }) => seq);
}

export function deleteItemsOf(tx: Transaction, agent: ErasedAgent): Promise<number> {
  return tx.run(
    sql`DELETE FROM trace_items WHERE account_id = ${agent.account_id}
        AND seq IN (SELECT seq FROM traces WHERE ${ofAgent(agent)})`,
  );
}
