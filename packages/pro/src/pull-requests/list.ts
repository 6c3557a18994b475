import { cursorsOf, cutPage, listReadable, pageBytes, reads, withinPage } from '@mem-service/server/module';
import { listPullRequests } from './queries.ts';
import { toPullRequest } from './render.ts';

const cursors = cursorsOf('pull_requests', ['number']);

export const list = reads<'pull_requests.list'>(async (context, { limit, cursor, ...asked }) => {
  const { read, caller, services, dialect } = context;
  const { status, source_branch, target_branch } = asked;
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const { account_id } = caller;
  const page = { account_id, status, source_branch, target_branch, before };
  const most = { limit: limit + 1, bytes: pageBytes(services) };
  const rows = await listReadable(context, { columns: ['source_branch', 'target_branch'], dialect }, (filters) =>
    listPullRequests(read, { ...page, ...most, filters }),
  );
  const found = withinPage(services, rows, (row) => [
    ...[row.title, row.description, row.source_branch, row.target_branch],
    ...[row.created_by, row.merged_by, row.closed_by],
  ]);
  const { items, ...rest } = cutPage(found, limit, (row) => cursors.to([row.created_seq]));
  return { pull_requests: items.map(toPullRequest), ...rest };
});
