import type { judgeShapes } from '@mem-service/server/module';
import { type CheckFinding, plain, unless } from './finding.ts';
import type { JudgedTrace } from './judged-trace.ts';

const tools = ({ steps }: JudgedTrace) => steps.filter(({ kind }) => kind === 'tool');

/** Null where the trace does not say. */
const FIGURES: Record<judgeShapes.JudgedFigure, (trace: JudgedTrace) => number | null> = {
  cost_usd: ({ total_cost_usd }) => total_cost_usd,
  duration_ms: ({ duration_ms }) => duration_ms,
  steps: ({ steps }) => steps.length,
  tool_calls: (trace) => tools(trace).length,
  failed_tool_calls: (trace) => tools(trace).filter(({ succeeded }) => !succeeded).length,
  llm_calls: ({ steps }) => steps.filter(({ kind }) => kind === 'llm').length,
  tokens: ({ total_tokens, document }) => (document.total_llm_calls === 0 ? null : total_tokens),
  errors: ({ document, spans }) =>
    document.error_events.length + spans.filter(({ status }) => status === 'error').length,
  attempts: ({ document }) => document.attempts.length,
  memory_reads: ({ reads }) => reads.length,
};

/** Figures that a trace's head holds. */
const IN_HEAD: readonly judgeShapes.JudgedFigure[] = ['duration_ms'];

export const figureOf = (trace: JudgedTrace, figure: judgeShapes.JudgedFigure): number | null => FIGURES[figure](trace);

type MostCheck = Extract<judgeShapes.SimpleCheck, { check: 'most' }>;

export function checkMost({ of, limit }: MostCheck, trace: JudgedTrace): CheckFinding {
  // What is known of the cost may be too much already.
  const known = of === 'cost_usd' ? trace.known_cost_usd : null;
  const figure = figureOf(trace, of) ?? (known !== null && known > limit ? known : null);
  const spans = figure !== null && figure > limit ? spansBehind(trace, of) : [];
  if (figure === null) return plain(null, `${of} is not known`);
  if (figure > limit) return { ...plain(false, `${of} is ${figure}, more than ${limit}`), span_ids: spans };
  const isPartial = trace.is_partial && !IN_HEAD.includes(of);
  return plain(unless(isPartial, true), `${of} is ${figure}, at most ${limit} is allowed`);
}

function spansBehind(trace: JudgedTrace, figure: judgeShapes.JudgedFigure): string[] {
  if (figure === 'errors') return trace.spans.flatMap(({ status, span_id }) => (status === 'error' ? [span_id] : []));
  if (figure !== 'failed_tool_calls') return [];
  return tools(trace).flatMap(({ succeeded, span_id }) => (succeeded || span_id === null ? [] : [span_id]));
}
