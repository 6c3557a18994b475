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
import { lastMergedSeq, listMergeWindows } from '../merges/queries.ts';
import * as queries from './queries.ts';
import { mainBranch, toBranch, toProtection } from './render.ts';
import { noBranch, resolveRef } from './resolve.ts';
import { newerSpans, parseSpans } from './rules/spans.ts';

/** Counting ends there; the contract says so. */
const MAX_COUNTED = 10_000;
/** More merges since the last refresh are not told apart from other writes. */
const MAX_COUNTED_MERGES = 50;

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

/**
 * How many entries were written on each side that the other does not have, of those that the caller may see: on the branch since it
 * was last merged into its parent, on the parent since the fork, which a refresh moves.
 */
async function distanceOf(context: ReadContext, { account_id, name, parent, fork_seq, inherits }: queries.BranchRow) {
  const { read } = context;
  const hidden = await readableBranches(context, [parent]);
  const { lineage: newest } = await resolveRef({ account_id, read }, parent);
  const base = parseSpans(inherits);
  const merged = { kind: 'merge', source: name, target: parent } as const;
  const refreshed = { kind: 'refresh', source: parent, target: name } as const;
  const windows = (of: typeof merged | typeof refreshed, after: number) =>
    listMergeWindows(read, account_id, { ...of, after, limit: MAX_COUNTED_MERGES + 1 });
  const after = (await lastMergedSeq(read, account_id, merged)) ?? 0;
  const came = hidden ? [] : await windows(refreshed, after);
  const ahead = await countIn(context, [{ branch: name, after, until: null }], {
    from: branchesIn(base),
    brought: { from: parent, windows: came },
  });
  // What happens on a parent is not shown to those who may not read it.
  const went = hidden ? [] : await windows(merged, fork_seq);
  const behind = await countIn(context, hidden ? [] : newerSpans(base, newest), {
    from: branchesIn(newest.slice(1)),
    brought: { from: name, windows: went },
  });
  const isAll = Math.max(ahead.looked_at, behind.looked_at) <= MAX_COUNTED;
  const is_counted = !hidden && isAll && Math.max(came.length, went.length) <= MAX_COUNTED_MERGES;
  return { ahead: ahead.count, behind: behind.count, is_counted };
}

const branchesIn = (lineage: Lineage): string[] => lineage.map(({ branch }) => branch);

type ComparedSide = Pick<Parameters<typeof countChanged>[2], 'from' | 'brought'>;

async function countIn({ scan, view }: ReadContext, spans: ReturnType<typeof newerSpans>, compared: ComparedSide) {
  const total = { count: 0, looked_at: 0 };
  for (const span of spans) {
    const limit = MAX_COUNTED + 1 - total.looked_at;
    if (limit <= 0) break;
    const { count, looked_at } = await countChanged(scan, view, { ...span, ...compared, limit });
    total.count += count;
    total.looked_at += looked_at;
  }
  return total;
}
