import { type Query, sql } from '../../db/index.ts';

export function pingDatabase(query: Query): Promise<unknown> {
  return query.get(sql`SELECT 1 AS alive`);
}
