import type { judgeShapes } from '@mem-service/server/module';
import { type CheckSteps, firstSpans, type Matchers, plain, unless } from './finding.ts';
import type { JudgedTrace } from './judged-trace.ts';
import { matchText } from './match-text.ts';

type PatternCheck = Extract<judgeShapes.SimpleCheck, { check: 'pattern' }>;

/** A text and the span that it is of. */
type JudgedText = { text: string; span_id: string | null };

const jsonOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const IN_HEAD = ['task_input', 'response_text', 'decision_summary'];

/** Undefined where the trace has no such text. */
function textsOf({ document, spans }: JudgedTrace, where: PatternCheck['in']): JudgedText[] | undefined {
  const own = (texts: readonly unknown[]) => texts.map((text) => ({ text: jsonOf(text), span_id: null }));
  switch (where) {
    case 'tool_arguments':
      return own(document.tool_calls.map((call) => call.arguments ?? ''));
    case 'tool_results':
      return own(document.tool_calls.map((call) => call.result_summary ?? ''));
    case 'contexts':
      return own(document.external_contexts.map(({ label, summary }) => `${label}\n${summary}`));
    case 'errors':
      return [
        ...own(document.error_events.map(({ error_type, message }) => `${error_type}: ${message}`)),
        ...spans.flatMap(({ error, span_id }) => (error === null ? [] : [{ text: error, span_id }])),
      ];
    case 'spans': {
      const recorded = document.session_metadata.spans as readonly Record<string, unknown>[];
      return recorded.map((span) => ({ text: jsonOf(span), span_id: String(span.span_id) }));
    }
    default: {
      const text = document[where];
      return text === null ? undefined : own([text]);
    }
  }
}

export function* checkPattern(check: PatternCheck, trace: JudgedTrace, matchers: Matchers): CheckSteps {
  const texts = textsOf(trace, check.in);
  if (texts === undefined) return plain(null, `the trace has no ${check.in}`);
  const found: JudgedText[] = [];
  for (const one of texts) {
    if (yield* matchText(matchers, check, one.text)) found.push(one);
    yield;
  }
  const isFound = found.length > 0;
  const holds = isFound !== check.not;
  const isPartial = trace.is_partial && !IN_HEAD.includes(check.in);
  const reason = `${check.in} ${isFound ? 'matches' : 'does not match'} /${check.pattern}/`;
  const span_ids = firstSpans(found.map(({ span_id }) => span_id));
  return { ...plain(isFound ? holds : unless(isPartial, holds), reason), span_ids };
}
