import { EVERYONE, MAIN_BRANCH, measureCalibration, type Query, seqAt } from '@mem-service/server/module';
import { sumUsd } from '../evaluation/index.ts';
import { countOpened } from '../incidents/index.ts';
import { getJudge } from '../judges/index.ts';
import { listTraceFigures } from '../trace-navigation/index.ts';
import { countSamples } from '../verdicts/index.ts';
import type { RuleRow } from './queries.ts';
import { metricOf } from './render.ts';
import { type MeasuredMetric, percentile95 } from './rules/reason.ts';

/** Traces, incidents or uses of entries that a rule looks at. */
export const MAX_SAMPLES = 2000;
export const MINUTE = 60_000;

const NOTHING: MeasuredMetric = { value: null, samples: 0, complete: true };

/** Where the window of a rule begins that ends at a time. */
export const windowStart = ({ window_minutes }: Pick<RuleRow, 'window_minutes'>, at: number): number =>
  at - window_minutes * MINUTE;

type MeasuredSpan = { from: number; before: number };

/** What the metric of a rule was in its window up to a moment of the log. */
export async function measure(
  query: Query,
  rule: RuleRow,
  { at, seq }: { at: number; seq: number },
): Promise<MeasuredMetric> {
  const from = await seqAt(query, rule.account_id, windowStart(rule, at));
  return METRICS[metricOf(rule)](query, rule, { from, before: seq + 1 });
}

type MetricOfRule = (query: Query, rule: RuleRow, span: MeasuredSpan) => Promise<MeasuredMetric>;

const failureRate: MetricOfRule = async (query, { account_id, judge_id, for_agent }, span) => {
  const judge = judge_id === null ? undefined : await getJudge(query, account_id, judge_id);
  if (!judge) return NOTHING;
  const group = {
    ...{ judge_id: judge.judge_id, judge_version: judge.version, agent_id: for_agent },
    ...{ branch: MAIN_BRANCH, visible_to: EVERYONE },
  };
  const spans = [{ name: 'window', ...span, limit: MAX_SAMPLES }];
  const counted = (await countSamples(query, group, { account_id, spans })).get('window');
  if (!counted || counted.samples === 0) return NOTHING;
  const { samples, failures } = counted;
  return { value: failures / samples, samples, complete: samples < MAX_SAMPLES };
};

const incidents: MetricOfRule = async (query, { account_id, for_agent }, span) => {
  const samples = await countOpened(query, { account_id, of_agent: for_agent, ...span, limit: MAX_SAMPLES });
  return { value: samples, samples, complete: samples < MAX_SAMPLES };
};

const figuresOf = async (query: Query, { account_id, for_agent }: RuleRow, span: MeasuredSpan) => {
  const { figures, complete } = await listTraceFigures(query, { account_id, ...span, limit: MAX_SAMPLES });
  return { figures: figures.filter(({ agent_id }) => for_agent === null || agent_id === for_agent), complete };
};

const cost: MetricOfRule = async (query, rule, span) => {
  const { figures, complete } = await figuresOf(query, rule, span);
  const costs = figures.flatMap(({ known_cost_usd }) => known_cost_usd ?? []);
  const value = costs.length === 0 ? null : sumUsd(costs);
  return { value, samples: costs.length, complete };
};

const duration: MetricOfRule = async (query, rule, span) => {
  const { figures, complete } = await figuresOf(query, rule, span);
  const durations = figures.flatMap(({ duration_ms }) => duration_ms ?? []).toSorted((a, b) => a - b);
  return { value: percentile95(durations), samples: durations.length, complete };
};

const calibrationError: MetricOfRule = async (query, { account_id, for_agent }, span) => {
  const asked = { account_id, branch: MAIN_BRANCH, written_by: for_agent, ...span, most: MAX_SAMPLES };
  const { expected_calibration_error: value, n: samples, truncated } = await measureCalibration(query, asked);
  return { value, samples, complete: !truncated };
};

const METRICS: Record<ReturnType<typeof metricOf>, MetricOfRule> = {
  failure_rate: failureRate,
  incidents,
  cost_usd: cost,
  duration_ms: duration,
  calibration_error: calibrationError,
};
