import type { Output } from '@mem-service/contract';
import { type Sql, sql } from '../../db/index.ts';
import {
  type AuditRow,
  cursorsOf,
  cutPage,
  fromIso,
  getAuditLine,
  type Handlers,
  listAuditLines,
  looksAt,
  type Module,
  pageBytes,
  readAccount,
  reads,
  toIso,
  WHOLE_ACCOUNT,
  walkAuditLines,
} from '../../kernel/index.ts';
import { type AuditProblem, checkLines } from './verify.ts';

const cursors = cursorsOf('audit', ['number']);
const places = cursorsOf('audit.verify', ['number']);
const PAST_ALL = Number.MAX_SAFE_INTEGER;

const list = reads<'audit.list'>(async ({ scan, caller, services }, input) => {
  const { action, actor, resource, since, until, limit, cursor } = input;
  const [before] = cursor === undefined ? [PAST_ALL] : cursors.from(cursor);
  const where: Sql[] = [
    ...(action === undefined || action === 'all' ? [] : [sql`action = ${action}`]),
    ...(actor === undefined ? [] : [sql`actor = ${actor}`]),
    ...(resource === undefined ? [] : [sql`resource = ${resource}`]),
    ...(since === undefined ? [] : [sql`at >= ${fromIso(since)}`]),
    ...(until === undefined ? [] : [sql`at < ${fromIso(until)}`]),
  ];
  const account = await readAccount(scan, caller.account_id);
  // A filtered page scans this many lines, and then returns a cursor.
  const newest = Math.min(before, (account?.audit_no ?? 0) + 1);
  const oldest = where.length === 0 ? 0 : Math.max(0, newest - 1 - services.limits.max_scanned_entries);
  const range = { before: newest, after: oldest, where, limit: limit + 1, bytes: pageBytes(services) };
  const { items, ...page } = cutPage(await listAuditLines(scan, caller.account_id, range), limit, ({ no }) =>
    cursors.to([no]),
  );
  const rest = page.has_more || oldest === 0 ? page : { has_more: true, next_cursor: cursors.to([oldest + 1]) };
  return { entries: items.map(toLine), ...rest };
});

const toLine = (row: AuditRow): Output<'audit.list'>['entries'][number] => ({
  no: row.no,
  at: toIso(row.at),
  actor: row.actor,
  key_id: row.key_id,
  key_name: row.key_name,
  user: row.user_name,
  agent_id: row.agent_id,
  action: row.action,
  resource: row.resource,
  ip_address: row.address,
  request_id: row.request_id,
  before_hash: row.before_hash,
  after_hash: row.after_hash,
  hash: row.hash,
});

/** Bounds what is in memory; other requests get their turn in between. */
const LINES_AT_ONCE = 1000;
/** A page with so many problems ends early. */
const MAX_PROBLEMS = 10_000;

const verify = reads<'audit.verify'>(async ({ scan, caller }, { limit, cursor }) => {
  const [after] = cursor === undefined ? [0] : places.from(cursor);
  // Read before the lines, so that it never refers to later ones.
  const account = await readAccount(scan, caller.account_id);
  const last = after === 0 ? undefined : await getAuditLine(scan, caller.account_id, after);
  const problems: AuditProblem[] = [];
  let end = last;
  let total_checked = 0;
  let page: { next_cursor: string | null; has_more: boolean };
  do {
    const most = Math.min(LINES_AT_ONCE, limit - total_checked);
    const rows = await walkAuditLines(scan, caller.account_id, { after: end?.no ?? after, limit: most + 1 });
    const { items, ...rest } = cutPage(rows, most, ({ no }) => places.to([no]));
    problems.push(...checkLines(items, { no: end?.no ?? after, hash: end?.hash ?? null }));
    end = items.at(-1) ?? end;
    total_checked += items.length;
    page = rest;
  } while (page.has_more && total_checked < limit && problems.length < MAX_PROBLEMS);
  const isShort = !page.has_more && (end?.no ?? 0) < (account?.audit_no ?? 0);
  const isOther = end?.no === account?.audit_no && (end?.hash ?? '') !== (account?.audit_hash ?? '');
  if (isShort || (!page.has_more && isOther)) problems.push({ no: account?.audit_no ?? 0, reason: 'end_missing' });
  return { total_checked, problems, ...page };
});

const handlers: Handlers = {
  'audit.list': looksAt(() => WHOLE_ACCOUNT, list),
  'audit.verify': looksAt(() => WHOLE_ACCOUNT, verify),
};

export const audit: Module = { name: 'audit', migrations: [], handlers };
