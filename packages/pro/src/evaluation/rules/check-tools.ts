import type { judgeShapes } from '@mem-service/server/module';
import { countWords } from './figure-words.ts';
import { type CheckFinding, firstSpans, type Matchers, plain, unless } from './finding.ts';
import type { JudgedStep, JudgedTrace } from './judged-trace.ts';
import { fitsWildcard } from './wildcard.ts';

type ToolCheck<K extends string> = Extract<judgeShapes.SimpleCheck, { check: K }>;

const toolsOf = ({ steps }: JudgedTrace): JudgedStep[] => steps.filter(({ kind }) => kind === 'tool');
const callsOf = (trace: JudgedTrace, tool: string, look: Matchers['look']): JudgedStep[] => {
  look(trace.steps.length * tool.split('*').length);
  return toolsOf(trace).filter(({ name }) => fitsWildcard(tool, name));
};

type RestingTools = { holds: boolean | null; reason: string; bound?: string };

const resting = ({ holds, reason, bound }: RestingTools, steps: readonly JudgedStep[]): CheckFinding => ({
  ...plain(holds, reason, bound),
  span_ids: firstSpans(steps.map(({ span_id }) => span_id)),
});

const times = (n: number): string => (n === 1 ? 'once' : n === 2 ? 'twice' : `${n} times`);

const calls = (n: number): string => `${countWords(n, 'call')} ${n === 1 ? 'is' : 'are'}`;

function calledWords(tool: string, n: number, succeeded: boolean): string {
  if (tool === '*') return n === 0 ? `no tool ${succeeded ? 'succeeded' : 'was called'}` : anyCalls(n, succeeded);
  if (n === 0) return `${tool} ${succeeded ? 'did not succeed' : 'was not called'}`;
  return `${tool} ${succeeded ? 'succeeded' : 'was called'} ${times(n)}`;
}

const anyCalls = (n: number, succeeded: boolean): string =>
  countWords(n, succeeded ? 'successful tool call' : 'tool call');

export function checkRequired(check: ToolCheck<'tool_required'>, trace: JudgedTrace, { look }: Matchers): CheckFinding {
  const { tool, min, max = Number.POSITIVE_INFINITY, succeeded } = check;
  const found = callsOf(trace, tool, look).filter((call) => !succeeded || call.succeeded);
  const reason = calledWords(tool, found.length, succeeded);
  if (found.length > max) return resting({ holds: false, reason, bound: `at most ${calls(max)} allowed` }, found);
  if (found.length < min)
    return resting({ holds: unless(trace.is_partial, false), reason, bound: `at least ${calls(min)} required` }, found);
  return resting({ holds: max === Number.POSITIVE_INFINITY ? true : unless(trace.is_partial, true), reason }, found);
}

export function checkForbidden(
  { tool }: ToolCheck<'tool_forbidden'>,
  trace: JudgedTrace,
  { look }: Matchers,
): CheckFinding {
  const found = callsOf(trace, tool, look);
  const reason = calledWords(tool, found.length, false);
  if (found.length === 0) return resting({ holds: unless(trace.is_partial, true), reason }, found);
  return resting({ holds: false, reason, bound: 'no call is allowed' }, found);
}
