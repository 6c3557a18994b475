import type { judgeShapes } from '@mem-service/server/module';
import { type CheckFinding, firstSpans, type Matchers, unless } from './finding.ts';
import type { JudgedStep, JudgedTrace } from './judged-trace.ts';
import { fitsWildcard } from './wildcard.ts';

type ToolCheck<K extends string> = Extract<judgeShapes.SimpleCheck, { check: K }>;

const toolsOf = ({ steps }: JudgedTrace): JudgedStep[] => steps.filter(({ kind }) => kind === 'tool');
const callsOf = (trace: JudgedTrace, tool: string, look: Matchers['look']): JudgedStep[] => {
  look(trace.steps.length * tool.split('*').length);
  return toolsOf(trace).filter(({ name }) => fitsWildcard(tool, name));
};

const resting = (holds: boolean | null, reason: string, steps: readonly JudgedStep[]): CheckFinding => ({
  holds,
  reason,
  span_ids: firstSpans(steps.map(({ span_id }) => span_id)),
  entries: [],
});

const times = (n: number): string => (n === 0 ? 'never' : n === 1 ? 'once' : `${n} times`);

export function checkRequired(check: ToolCheck<'tool_required'>, trace: JudgedTrace, { look }: Matchers): CheckFinding {
  const { tool, min, max = Number.POSITIVE_INFINITY, succeeded } = check;
  const calls = callsOf(trace, tool, look).filter((call) => !succeeded || call.succeeded);
  const reason = `${tool} was called ${times(calls.length)}${succeeded ? ' with success' : ''}`;
  if (calls.length > max) return resting(false, `${reason}, at most ${times(max)} is allowed`, calls);
  if (calls.length < min)
    return resting(unless(trace.is_partial, false), `${reason}, it has to be ${times(min)}`, calls);
  return resting(max === Number.POSITIVE_INFINITY ? true : unless(trace.is_partial, true), reason, calls);
}

export function checkForbidden(
  { tool }: ToolCheck<'tool_forbidden'>,
  trace: JudgedTrace,
  { look }: Matchers,
): CheckFinding {
  const calls = callsOf(trace, tool, look);
  if (calls.length > 0) return resting(false, `${tool} was called ${times(calls.length)}, and is forbidden`, calls);
  return resting(unless(trace.is_partial, true), `${tool} was not called`, []);
}
