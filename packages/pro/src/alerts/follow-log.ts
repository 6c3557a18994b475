import {
  type alertShapes,
  type Consumer,
  type ConsumerContext,
  type LogEvent,
  Postponed,
} from '@mem-service/server/module';
import { isIndexed } from '../trace-navigation/index.ts';
import { measure } from './measure.ts';
import * as queries from './queries.ts';
import { mayRaise, type RuleFinding, raiseAlerts } from './raise.ts';
import { metricOf } from './render.ts';

const INDEX_WAIT_MS = 1000;
const RULE_CHANGED = 'alert_rule_changed';

const SEALED = ['outcome', 'trace'];
/** After which events a metric may be another. */
const MOVED_BY: Record<alertShapes.AlertMetric, readonly string[]> = {
  failure_rate: ['traces_judged', 'verdict_overruled'],
  incidents: ['incident_opened', 'incident_reopened'],
  cost_usd: SEALED,
  duration_ms: SEALED,
  calibration_error: ['outcome'],
};

/** Looks at the rules that events concern, once for all events of a turn; it rests between turns, so that rules cost little. */
export const watchRules: Consumer = {
  name: 'alerts.watch_rules',
  event_types: [...new Set([...Object.values(MOVED_BY).flat(), RULE_CHANGED])],
  starts_at: 'now',
  batch_size: 500,
  delay_seconds: 1,
  pause_seconds: 5,
  gives_way_seconds: 5,
  handle: watchEvents,
};

async function watchEvents(context: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { account_id, kernel } = context;
  const { read, scan } = kernel.services.database.forAccount(account_id);
  const last = events.at(-1);
  if (!last) return;
  const { seq, created_at: at } = last;
  const types = new Set(events.map(({ event_type }) => event_type));
  const isMoved = (rule: queries.RuleRow) => MOVED_BY[metricOf(rule)].some((type) => types.has(type));
  const changed = changedRules(events);
  const rules = (await queries.listRules(read, account_id)).filter(
    (rule) => (isMoved(rule) || changed.has(rule.rule_id)) && mayRaise(rule, at),
  );
  if (rules.length === 0) return;
  await requireIndexed(context, rules, events);
  const findings: RuleFinding[] = [];
  for (const rule of rules) {
    if (context.isStopping()) return;
    const { value, ...measured } = await measure(scan, rule, { at, seq });
    if (value !== null && value > rule.above && measured.samples >= rule.min_samples)
      findings.push({ rule, value, ...measured });
  }
  if (findings.length > 0) await context.work((work) => raiseAlerts(work, findings, at));
}

/** What a rule that is set now looks for may have been there before it. */
function changedRules(events: readonly LogEvent[]): ReadonlySet<unknown> {
  const changes = events.filter(({ event_type }) => event_type === RULE_CHANGED);
  return new Set(changes.map(({ details }) => (JSON.parse(details) as { rule_id?: string }).rule_id));
}

/** Cost and time of traces are taken from their index, which follows the log too. */
async function requireIndexed(
  { account_id, kernel }: ConsumerContext,
  rules: readonly queries.RuleRow[],
  events: readonly LogEvent[],
): Promise<void> {
  if (!rules.some((rule) => MOVED_BY[metricOf(rule)] === SEALED)) return;
  const seq = events.findLast(({ event_type }) => SEALED.includes(event_type))?.seq;
  if (seq === undefined || (await isIndexed(kernel.services.database.forAccount(account_id).read, account_id, seq)))
    return;
  throw new Postponed('the newest traces are being indexed', INDEX_WAIT_MS);
}
