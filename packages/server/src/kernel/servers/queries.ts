import { type Query, sql, type Transaction } from '../../db/index.ts';

export type ServerRow = { server_id: string; seen_at: number };

export function touchServer(tx: Transaction, { server_id, seen_at }: ServerRow): Promise<number> {
  return tx.run(
    sql`INSERT INTO servers (server_id, seen_at) VALUES (${server_id}, ${seen_at})
        ON CONFLICT (server_id) DO UPDATE SET seen_at = excluded.seen_at`,
  );
}

export function deleteServer(tx: Transaction, server_id: string): Promise<number> {
  return tx.run(sql`DELETE FROM servers WHERE server_id = ${server_id}`);
}

export function deleteOldServers(tx: Transaction, before: number): Promise<number> {
  return tx.run(sql`DELETE FROM servers WHERE seen_at < ${before}`);
}

export function listServers(query: Query): Promise<ServerRow[]> {
  return query.all<ServerRow>(sql`SELECT server_id, seen_at FROM servers ORDER BY seen_at DESC LIMIT 1000`);
}
