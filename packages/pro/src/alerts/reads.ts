import { cursorsOf, cutPage, type Handlers, readAccount, reads, sql, withinPage } from '@mem-service/server/module';
import { measure } from './measure.ts';
import * as queries from './queries.ts';
import { metricOf, requireRule, toAlert, toRule } from './render.ts';
import { reasonOf } from './rules/reason.ts';

const cursors = cursorsOf('alerts', ['number']);

const list = reads<'alerts.list'>(async ({ read, caller, services }, input) => {
  const { status, rule_id, for_agent, limit, cursor } = input;
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const filters = [
    ...(status === undefined
      ? []
      : [status === 'raised' ? sql`acknowledged_at IS NULL` : sql`acknowledged_at IS NOT NULL`]),
    ...(rule_id === undefined ? [] : [sql`rule_id = ${rule_id}`]),
    ...(for_agent === undefined ? [] : [sql`for_agent = ${for_agent}`]),
  ];
  const page = { account_id: caller.account_id, filters, before, limit: limit + 1 };
  const found = withinPage(services, await queries.listAlerts(read, page), (row) => [
    ...[row.comment, row.for_agent, row.acknowledged_by, row.rule_id],
  ]);
  const { items, ...rest } = cutPage(found, limit, (row) => cursors.to([row.seq]));
  return { alerts: items.map(toAlert), ...rest };
});

const listRules = reads<'alert_rules.list'>(async ({ read, caller }) => ({
  rules: (await queries.listRules(read, caller.account_id)).map(toRule),
}));

const readRule = reads<'alert_rules.read'>(async ({ read, scan, caller, services }, { rule_id }) => {
  const { account_id } = caller;
  const rule = await requireRule(read, account_id, rule_id);
  const account = await readAccount(read, account_id);
  const measured = await measure(scan, rule, { at: services.clock.now(), seq: account?.seq ?? 0 });
  const { judge_id, above, min_samples } = rule;
  return {
    ...toRule(rule),
    current: { ...measured, reason: reasonOf({ ...measured, metric: metricOf(rule), judge_id, above, min_samples }) },
  };
});

export const readHandlers: Handlers = {
  'alerts.list': list,
  'alert_rules.list': listRules,
  'alert_rules.read': readRule,
};
