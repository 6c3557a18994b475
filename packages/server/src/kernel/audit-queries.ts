import { andAll, type FirstRows, fragment, type Query, type Sql, sql } from '../db/index.ts';
import type { AuditRow } from './audit.ts';

const LINE = fragment(
  'account_id, no, at, actor, key_id, key_name, user_name, agent_id, action, resource, before_hash, after_hash, address, request_id, subject_salt, subject_hash, agent_salt, agent_hash, hash',
);

export type AuditPage = { before: number; after: number; where: readonly Sql[]; limit: number; bytes: number };

/** What a line shows. */
const SHOWN = [
  ...['actor', 'key_id', 'key_name', 'user_name', 'agent_id', 'action', 'resource', 'address', 'request_id'],
  ...['before_hash', 'after_hash', 'hash'],
];

/** Newest first, among the lines between two numbers. */
export function listAuditLines(query: Query, accountId: string, page: AuditPage): Promise<FirstRows<AuditRow>> {
  return query.first(
    sql`SELECT ${LINE} FROM audit WHERE account_id = ${accountId} AND no < ${page.before} AND no > ${page.after}${andAll(page.where)}
        ORDER BY no DESC LIMIT ${page.limit}`,
    { columns: SHOWN, bytes: page.bytes },
  );
}

/** In order, to verify the chain. */
export function walkAuditLines(
  query: Query,
  accountId: string,
  page: { after: number; limit: number },
): Promise<AuditRow[]> {
  return query.all(
    sql`SELECT ${LINE} FROM audit WHERE account_id = ${accountId} AND no > ${page.after} ORDER BY no LIMIT ${page.limit}`,
  );
}

export function getAuditLine(query: Query, accountId: string, no: number): Promise<AuditRow | undefined> {
  return query.get(sql`SELECT ${LINE} FROM audit WHERE account_id = ${accountId} AND no = ${no}`);
}
