import { cursorsOf, cutPage, type Handlers, pageBytes, reads, withinPage } from '@mem-service/server/module';
import * as queries from './queries.ts';
import { definitionIn, requireJudge, requireVersion, toJudge, toVersion } from './render.ts';
import { changesBetween } from './rules/changes.ts';

const cursors = cursorsOf('judges', ['string']);

const list = reads<'judges.list'>(async ({ read, caller, services }, { for_agent, status, limit, cursor }) => {
  const after = cursor === undefined ? '' : cursors.from(cursor)[0];
  const { account_id } = caller;
  const page = { account_id, for_agent, status, after, limit: limit + 1, bytes: pageBytes(services) };
  const rows = await queries.listJudges(read, page);
  const found = withinPage(services, rows, ({ definition, description, name }) => [definition, description, name]);
  const { items, ...rest } = cutPage(found, limit, (row) => cursors.to([row.judge_id]));
  return { judges: items.map(toJudge), ...rest };
});

const readOne = reads<'judges.read'>(async ({ read, caller }, { judge_id, version }) => {
  const judge = await requireJudge(read, caller.account_id, judge_id);
  if (version === undefined || version === judge.version) return toJudge(judge);
  const { agent_id, ...old } = await requireVersion(read, caller.account_id, { judge_id, version });
  return toJudge({ ...judge, ...old, defined_by: agent_id });
});

const versionCursors = cursorsOf('judges.history', ['number']);

const history = reads<'judges.history'>(async ({ read, caller, services }, { judge_id, limit, cursor }) => {
  const { account_id } = caller;
  await requireJudge(read, account_id, judge_id);
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : versionCursors.from(cursor)[0];
  const page = { account_id, judge_id, before, limit: limit + 1, bytes: pageBytes(services) };
  const found = withinPage(services, await queries.listVersions(read, page), ({ definition }) => [definition]);
  const { items, ...rest } = cutPage(found, limit, (row) => versionCursors.to([row.version]));
  return { versions: items.map(toVersion), ...rest };
});

const diff = reads<'judges.diff'>(async ({ read, caller }, input) => {
  const { account_id } = caller;
  const { judge_id } = input;
  const judge = await requireJudge(read, account_id, judge_id);
  const to = input.to ?? judge.version;
  const from = input.from ?? Math.max(1, to - 1);
  const at = async (version: number) => {
    const row = await requireVersion(read, account_id, { judge_id, version });
    return { definition: definitionIn(row), for_agent: row.for_agent, for_path: row.for_path };
  };
  return { judge_id, from, to, changes: changesBetween(await at(from), await at(to)) };
});

export const readHandlers: Handlers = {
  'judges.list': list,
  'judges.read': readOne,
  'judges.history': history,
  'judges.diff': diff,
};
