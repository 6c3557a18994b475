import type { Database } from '../../db/index.ts';
import * as queries from './queries.ts';

/** Requests of this minute, by key; `cell` is the minute of the clock. */
export type CountedRequests = { rows: queries.RequestCell[]; cell: number; clears?: boolean };

/** Adds requests to the common counts. Returns what all servers together have counted in this minute and the one before. */
export function exchangeRequests(
  database: Database,
  { rows, cell, clears = false }: CountedRequests,
): Promise<queries.RequestCell[]> {
  const before = rows.map(({ account_id, key_id, cell }) => [account_id, key_id, cell - 1]);
  return database.maintenanceTransaction(async (tx) => {
    if (clears) await queries.deleteOldCells(tx, cell - 2);
    const [now, last] = await Promise.all([
      tx.insertMany<queries.RequestCell>(queries.addRequests, rows),
      tx.findMany<queries.RequestCell>(queries.findCells, before),
    ]);
    return [...now, ...last.filter((count) => count !== undefined)];
  });
}
