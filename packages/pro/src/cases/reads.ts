import {
  cursorsOf,
  cutPage,
  Fault,
  type Handlers,
  listReadable,
  pageBytes,
  readableRows,
  reads,
  withinPage,
} from '@mem-service/server/module';
import * as queries from './queries.ts';
import { requireCase, toCase, toRun, toSet, toWholeRun } from './render.ts';
import { getRun, listNewestOf, listResults, listRuns } from './run-queries.ts';

const cursors = cursorsOf('cases', ['string', 'string']);

const list = reads<'cases.list'>(async ({ read, caller, services }, { set_id, limit, cursor }) => {
  const after = cursor === undefined ? (['', ''] as const) : cursors.from(cursor);
  const { account_id } = caller;
  const page = { account_id, set_id, after, limit: limit + 1, bytes: pageBytes(services) };
  const found = withinPage(services, await queries.listCases(read, page), (row) => [
    ...[row.task_input, row.expected, row.description, row.name],
  ]);
  const { items, ...rest } = cutPage(found, limit, (row) => cursors.to([row.set_id, row.case_id]));
  return { cases: items.map(toCase), ...rest };
});

const readOne = reads<'cases.read'>(async ({ read, caller }, { case_id }) =>
  toCase(await requireCase(read, caller.account_id, case_id)),
);

const setCursors = cursorsOf('case_sets', ['string']);

const listOfSets = reads<'case_sets.list'>(async (context, { limit, cursor }) => {
  const { read, caller, services, dialect } = context;
  const { account_id } = caller;
  const after = cursor === undefined ? '' : setCursors.from(cursor)[0];
  const sets = await queries.listSets(read, { account_id, after, limit: limit + 1 });
  const names = dialect.texts(sets.map(({ set_id }) => set_id));
  const { rows } = await listReadable(context, { columns: ['branch'], dialect }, async (filters) => ({
    rows: await listNewestOf(read, account_id, { sets: names, filters }),
  }));
  const runs = new Map(rows.map((run) => [run.set_id, run]));
  const found = withinPage(services, sets, ({ set_id }) => [set_id, runs.get(set_id)?.label ?? '']);
  const { items, ...rest } = cutPage(found, limit, ({ set_id }) => setCursors.to([set_id]));
  return { sets: items.map((set) => toSet(set, runs.get(set.set_id))), ...rest };
});

const runCursors = cursorsOf('case_runs', ['number']);

const listOfRuns = reads<'case_runs.list'>(async (context, { set_id, limit, cursor }) => {
  const { read, caller, services, dialect } = context;
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : runCursors.from(cursor)[0];
  const { account_id } = caller;
  const page = { account_id, set_id, before, limit: limit + 1 };
  const { rows } = await listReadable(context, { columns: ['branch'], dialect }, async (filters) => ({
    rows: await listRuns(read, { ...page, filters }),
  }));
  const found = withinPage(services, rows, ({ label, agent_id }) => [label, agent_id]);
  const { items, ...rest } = cutPage(found, limit, (row) => runCursors.to([row.seq]));
  return { runs: items.map(toRun), ...rest };
});

const readRun = reads<'case_runs.read'>(async (context, { case_run_id }) => {
  const { account_id } = context.caller;
  const found = await getRun(context.read, account_id, case_run_id);
  const [run] = await readableRows(context, found ? [found] : []);
  if (!run) throw new Fault('not_found', `there is no run ${case_run_id}`, { case_run_id });
  return toWholeRun(context, run, await listResults(context.read, account_id, run.seq));
});

export const readHandlers: Handlers = {
  'cases.list': list,
  'cases.read': readOne,
  'case_sets.list': listOfSets,
  'case_runs.list': listOfRuns,
  'case_runs.read': readRun,
};
