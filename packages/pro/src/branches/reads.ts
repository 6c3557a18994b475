import {
  countChanged,
  cursorsOf,
  cutPage,
  type Lineage,
  listReadable,
  MAIN_BRANCH,
  pageBytes,
  type ReadContext,
  readableBranches,
  reads,
  withinPage,
} from '@mem-service/server/module';
import * as queries from './queries.ts';
import { mainBranch, toBranch, toProtection } from './render.ts';
import { noBranch, resolveRef } from './resolve.ts';
import { newerSpans, parseSpans } from './rules/spans.ts';

/** Counting ends there; the contract says so. */
const MAX_COUNTED = 10_000;

const cursors = cursorsOf('branches', ['number']);

export const list = reads<'branches.list'>(async (context, { status, limit, cursor }) => {
  const { read, caller, services, dialect } = context;
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const bytes = pageBytes(services);
  const { account_id } = caller;
  const asked = { account_id, status, before, limit: limit + 1, bytes };
  const rows = await listReadable(context, { columns: ['name'], dialect }, (filters) =>
    queries.listBranches(read, { ...asked, filters }),
  );
  const found = withinPage(services, rows, (row) => [
    ...[row.name, row.parent, row.description, row.created_by],
    ...[row.merged_by, row.closed_by],
  ]);
  const { items, ...page } = cutPage(found, limit, (row) => cursors.to([row.created_seq]));
  return { branches: items.map(toBranch), ...page };
});

export const read = reads<'branches.read'>(async (context, { name }) => {
  const { account_id } = context.caller;
  const protection = toProtection(await queries.getProtection(context.read, account_id, name));
  if (name === MAIN_BRANCH)
    return { ...mainBranch(protection !== null), protection, ahead: 0, behind: 0, is_counted: true };
  const row = await queries.getBranch(context.read, account_id, name);
  if (!row) throw noBranch(name);
  return { ...toBranch(row), protection, ...(await distanceOf(context, row)) };
});

/** How many entries were written on each side since the fork, of those that the caller may see. */
async function distanceOf(context: ReadContext, { account_id, name, parent, fork_seq, inherits }: queries.BranchRow) {
  const source = { account_id, read: context.read };
  const hidden = await readableBranches(context, [parent]);
  const { lineage: newest } = await resolveRef(source, parent);
  const own: Lineage = [{ branch: name, up_to_seq: null }];
  const base = parseSpans(inherits);
  const ahead = await countIn(context, newerSpans([{ branch: name, up_to_seq: fork_seq }], own), base);
  // What happens on a parent is not shown to those who may not read it.
  const behind = await countIn(context, hidden ? [] : newerSpans(base, newest), newest.slice(1));
  const most = MAX_COUNTED;
  const is_counted = !hidden && ahead.looked_at <= most && behind.looked_at <= most;
  return { ahead: ahead.count, behind: behind.count, is_counted };
}

async function countIn({ read, view }: ReadContext, spans: ReturnType<typeof newerSpans>, inherits: Lineage) {
  const from = inherits.map(({ branch }) => branch);
  const total = { count: 0, looked_at: 0 };
  for (const span of spans) {
    const limit = MAX_COUNTED + 1 - total.looked_at;
    if (limit <= 0) break;
    const { count, looked_at } = await countChanged(read, view, { ...span, limit, from });
    total.count += count;
    total.looked_at += looked_at;
  }
  return total;
}
