import {
  cursorsOf,
  cutPage,
  type Handlers,
  listReadable,
  reads,
  viewerOf,
  withinPage,
} from '@mem-service/server/module';
import { handoverOf } from './handover.ts';
import { readPrevention } from './prevention.ts';
import { listFixes } from './queries.ts';
import { toFixes, toWholeFix } from './render.ts';
import { requireFix } from './sight.ts';

const cursors = cursorsOf('fixes', ['number']);

const list = reads<'fixes.list'>(async (context, { status, limit, cursor }) => {
  const { read, services, dialect } = context;
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const viewer = viewerOf(context);
  const { rows } = await listReadable(context, { columns: ['branch'], dialect }, async (filters) => ({
    rows: await listFixes(read, viewer, { status, filters, before, limit: limit + 1 }),
  }));
  const found = withinPage(services, rows, ({ summary, description, decision, branch }) => [
    ...[summary, description, decision, branch],
  ]);
  const { items, ...page } = cutPage(found, limit, (row) => cursors.to([row.seq]));
  return { fixes: await toFixes(context, items), ...page };
});

const readOne = reads<'fixes.read'>(async (context, { fix_id }) =>
  toWholeFix(context, await requireFix(context, fix_id)),
);

const readHandover = reads<'fixes.read_handover'>(async (context, { fix_id }) => {
  const row = await requireFix(context, fix_id);
  return { fix_id, markdown: await handoverOf(context, row, await toWholeFix(context, row)) };
});

const prevention = reads<'fixes.read_prevention'>(async (context, { fix_id }) =>
  readPrevention(context, await requireFix(context, fix_id)),
);

export const readHandlers: Handlers = {
  'fixes.list': list,
  'fixes.read': readOne,
  'fixes.read_handover': readHandover,
  'fixes.read_prevention': prevention,
};
