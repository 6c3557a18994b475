import type { judgeShapes } from '@mem-service/server/module';
import { allowedUsd, allowedWords, countWords, mostWords, twoDurations, twoNumbers } from './figure-words.ts';
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
  const exact = figureOf(trace, of);
  // What is known of the cost may be too much already.
  const known = of === 'cost_usd' ? trace.known_cost_usd : null;
  const figure = exact ?? (known !== null && known > limit ? known : null);
  if (figure === null) return plain(null, NOT_KNOWN[of] ?? `its number of ${COUNTED[of]}s is not known`);
  const [found, bound] = inWords(of, { figure, limit, isExact: exact !== null });
  if (figure > limit) return { ...plain(false, found, bound), span_ids: spansBehind(trace, of) };
  const isPartial = trace.is_partial && !IN_HEAD.includes(of);
  return plain(unless(isPartial, true), found, bound);
}

const NOT_KNOWN: Partial<Record<judgeShapes.JudgedFigure, string>> = {
  cost_usd: 'its cost is not known',
  duration_ms: 'how long it took is not known',
};

/** What a figure counts, one of them. */
const COUNTED: Partial<Record<judgeShapes.JudgedFigure, string>> = {
  steps: 'step',
  tool_calls: 'tool call',
  failed_tool_calls: 'failed tool call',
  llm_calls: 'model call',
  tokens: 'token',
  errors: 'error',
  attempts: 'failed attempt',
  memory_reads: 'memory read',
};

type ComparedFigure = { figure: number; limit: number; isExact: boolean };

/** What was found, and what is allowed. */
function inWords(of: judgeShapes.JudgedFigure, { figure, limit, isExact }: ComparedFigure): [string, string] {
  if (of === 'duration_ms') {
    const [took, most] = twoDurations(figure, limit);
    return [`took ${took}`, mostWords(most)];
  }
  if (of === 'cost_usd') {
    const [cost, most] = twoNumbers(figure, limit);
    return [`cost ${isExact ? '' : 'at least '}${cost} USD`, allowedUsd(most)];
  }
  return [countWords(figure, COUNTED[of] ?? of), allowedWords(limit)];
}

function spansBehind(trace: JudgedTrace, figure: judgeShapes.JudgedFigure): string[] {
  if (figure === 'errors') return trace.spans.flatMap(({ status, span_id }) => (status === 'error' ? [span_id] : []));
  if (figure !== 'failed_tool_calls') return [];
  return tools(trace).flatMap(({ succeeded, span_id }) => (succeeded || span_id === null ? [] : [span_id]));
}
