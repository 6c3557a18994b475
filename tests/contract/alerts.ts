import { listRules } from '../../packages/pro/src/alerts/queries.ts';
import { raiseAlerts } from '../../packages/pro/src/alerts/raise.ts';
import { unchanged } from '../../packages/server/src/module.ts';
import { caller, type TestApp } from '../support/app.ts';
import type { ExampleSetup, KnownIds } from './table.ts';

type NamedRules = { ids: readonly string[]; nameOf?: (i: number) => string; comment?: (i: number) => string };

/** Rules, and an alert of each. */
export async function layAlerts(
  app: TestApp,
  { as, known }: Pick<ExampleSetup, 'as'> & { known: KnownIds },
  { ids, nameOf, comment }: NamedRules,
): Promise<void> {
  for (const [i, rule_id] of ids.entries()) {
    const name = nameOf?.(i) ?? rule_id;
    await app.call('alert_rules.create', { rule_id, name, metric: 'cost_usd', above: i } as never, as);
  }
  const by = caller(as);
  await app.kernel.work(by, 'alerts.watch_rules', async (work) => {
    const rules = (await listRules(work.tx, by.account_id)).filter(({ rule_id }) => ids.includes(rule_id));
    const findings = rules.map((rule) => ({ rule, value: rule.above + 1, samples: 1, complete: true }));
    await raiseAlerts(work, findings, work.now);
    return unchanged({});
  });
  const { alerts } = await app.call('alerts.list', {}, as);
  const [first] = alerts;
  if (comment)
    for (const [i, { alert_id }] of alerts.entries())
      await app.call('alerts.acknowledge', { alert_id, comment: comment(i) }, as);
  Object.assign(known, { rule_id: ids[0], alert_id: first?.alert_id });
}
