import {
  type alertShapes,
  changed,
  EVERYONE,
  Fault,
  type Handlers,
  hashedBy,
  invalidInput,
  MAIN_BRANCH,
  unchanged,
  type Work,
  writes,
} from '@mem-service/server/module';
import { mutedUntil } from '../evaluation/index.ts';
import { authorOf, getJudge } from '../judges/index.ts';
import * as queries from './queries.ts';
import { metricOf, requireRule, toAlert, toRule } from './render.ts';

const MAX_RULES = 50;

type RuleAuthor = ReturnType<typeof authorOf>;

/** Shares, which are never above 1. */
const SHARES: readonly alertShapes.AlertMetric[] = ['failure_rate', 'calibration_error'];
/** One of them is enough; others say little before there are some. */
const COUNTED: readonly alertShapes.AlertMetric[] = ['incidents', 'cost_usd'];

function requireReachable(metric: alertShapes.AlertMetric, above: number): void {
  if (SHARES.includes(metric) && above >= 1)
    throw invalidInput([{ path: 'above', message: `must be below 1: ${metric} is a share, as 0.2 for 20 %` }]);
}

const create = writes<'alert_rules.create'>(async (work, { input, caller }) => {
  const { account_id, tx, now } = work;
  const { rule_id, metric, above, judge_id = null, for_agent, window_minutes, cooldown_minutes } = input;
  requireReachable(metric, above);
  if ((metric === 'failure_rate') !== (judge_id !== null))
    throw invalidInput([{ path: 'judge_id', message: 'goes with the metric failure_rate, and only with it' }]);
  if (judge_id !== null && !(await getJudge(tx, account_id, judge_id)))
    throw new Fault('not_found', `there is no judge ${judge_id}`, { judge_id, rule_id });
  const rules = await queries.listRules(tx, account_id);
  if (rules.some((rule) => rule.rule_id === rule_id))
    throw new Fault('conflict', `there is a rule ${rule_id} already: alert_rules.update changes it`, { rule_id });
  if (rules.length >= MAX_RULES)
    throw new Fault('conflict', `the account has ${MAX_RULES} rules, and can have no more`, { max: MAX_RULES });
  const author = authorOf(input, caller);
  const min_samples = input.min_samples ?? (COUNTED.includes(metric) ? 1 : 10);
  const row: queries.RuleRow = {
    ...{ account_id, rule_id, name: input.name ?? rule_id, metric, judge_id, for_agent, above },
    ...{ window_minutes, cooldown_minutes, min_samples, muted_until: null, raised_at: null },
    ...{ agent_id: author.agent_id, created_at: now, updated_seq: 0, updated_at: now },
  };
  const answer = toRule(save(work, row, { author, status: 'set' }));
  return changed(answer, { resource: rule_id, ...hashedBy(answer) });
});

const update = writes<'alert_rules.update'>(async (work, { input, caller }) => {
  const before = await requireRule(work.tx, work.account_id, input.rule_id);
  const { name = before.name, above = before.above, min_samples = before.min_samples } = input;
  const { window_minutes = before.window_minutes, cooldown_minutes = before.cooldown_minutes } = input;
  requireReachable(metricOf(before), above);
  const after = { name, above, min_samples, window_minutes, cooldown_minutes };
  return change(work, { before, after, author: authorOf(input, caller), status: 'set' });
});

const mute = writes<'alert_rules.mute'>(async (work, { input, caller }) => {
  const before = await requireRule(work.tx, work.account_id, input.rule_id);
  const muted_until = mutedUntil(input, work.now);
  return change(work, { before, after: { muted_until }, author: authorOf(input, caller), status: 'muted' });
});

type RuleChange = {
  before: queries.RuleRow;
  after: Partial<queries.RuleRow>;
  author: RuleAuthor;
  status: string;
};

function change(work: Work, { before, after, author, status }: RuleChange) {
  const isSame = Object.entries(after).every(([name, value]) => before[name as keyof queries.RuleRow] === value);
  if (isSame) return unchanged(toRule(before));
  const row = { ...before, ...after, agent_id: author.agent_id, updated_at: work.now };
  const answer = toRule(save(work, row, { author, status }));
  return changed(answer, {
    resource: before.rule_id,
    before: hashedBy(toRule(before)).after,
    after: hashedBy(answer).after,
  });
}

const remove = writes<'alert_rules.delete'>(async (work, { input, caller }) => {
  const { rule_id } = input;
  const before = await requireRule(work.tx, work.account_id, rule_id);
  emitRule(work, { rule_id, status: 'deleted' }, authorOf(input, caller));
  await queries.deleteRule(work.tx, work.account_id, rule_id);
  return changed(
    { rule_id, deleted: true },
    { resource: rule_id, before: hashedBy(toRule(before)).after, after: null },
  );
});

const acknowledge = writes<'alerts.acknowledge'>(async (work, { input, caller }) => {
  const { tx, account_id, now } = work;
  const { alert_id, comment } = input;
  const before = await queries.getAlert(tx, account_id, alert_id);
  if (!before) throw new Fault('not_found', `there is no alert ${alert_id}`, { alert_id });
  if (before.acknowledged_at !== null) return unchanged(toAlert(before));
  const author = authorOf(input, caller);
  const row = { ...before, acknowledged_by: author.agent_id, acknowledged_at: now, comment };
  work.send(tx.insertMany(queries.upsertAlerts, [row]));
  emit(work, author, { event_type: 'alert_acknowledged', details: { alert_id, rule_id: before.rule_id } });
  const answer = toAlert(row);
  return changed(answer, {
    resource: alert_id,
    before: hashedBy(toAlert(before)).after,
    after: hashedBy(answer).after,
  });
});

function save(
  work: Work,
  row: queries.RuleRow,
  { author, status }: { author: RuleAuthor; status: string },
): queries.RuleRow {
  const saved = { ...row, updated_seq: emitRule(work, { rule_id: row.rule_id, status }, author) };
  work.send(work.tx.insertMany(queries.upsertRules, [saved]));
  return saved;
}

const emitRule = (work: Work, details: { rule_id: string; status: string }, author: RuleAuthor): number =>
  emit(work, author, { event_type: 'alert_rule_changed', details });

const emit = (work: Work, author: RuleAuthor, event: { event_type: string; details: Record<string, string> }): number =>
  work.emit({
    ...event,
    ...author,
    branch: MAIN_BRANCH,
    ...{ entity_path: null, key: null, version: null, visible_to: EVERYONE },
  });

export const changeHandlers: Handlers = {
  'alert_rules.create': create,
  'alert_rules.update': update,
  'alert_rules.mute': mute,
  'alert_rules.delete': remove,
  'alerts.acknowledge': acknowledge,
};
