import type { judgeShapes } from '@mem-service/server/module';
import { expressionWords } from './figure-words.ts';
import { type CheckSteps, firstSpans, type Matchers, plain, unless } from './finding.ts';
import type { JudgedTrace, RecordedPart } from './judged-trace.ts';
import { matchText } from './match-text.ts';
import { HEAD_TEXTS, matchWords } from './trace-words.ts';

type PatternCheck = Extract<judgeShapes.SimpleCheck, { check: 'pattern' }>;

/** A text and the span that it is of. */
type JudgedText = { text: string; span_id: string | null };

type HeadText = 'task_input' | 'response_text' | 'decision_summary';

const isHeadText = (where: PatternCheck['in']): where is HeadText =>
  where === 'task_input' || where === 'response_text' || where === 'decision_summary';

const LONG_CHARS = 1000;
const longTexts = new WeakMap<object, string>();

/** A long text is made once for a trace, however many checks look at it. */
function jsonOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const known = longTexts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  if (text.length > LONG_CHARS) longTexts.set(value, text);
  return text;
}

function* ownTexts<T>(parts: readonly T[], textOf: (part: T) => string): Generator<JudgedText> {
  for (const part of parts) yield { text: textOf(part), span_id: null };
}

/** One by one, as each may be long. */
function* textsOf({ document, spans }: JudgedTrace, where: PatternCheck['in']): Generator<JudgedText> {
  switch (where) {
    case 'tool_arguments':
      return yield* ownTexts(document.tool_calls, (call) => jsonOf(call.arguments ?? ''));
    case 'tool_results':
      return yield* ownTexts(document.tool_calls, (call) => jsonOf(call.result_summary ?? ''));
    case 'contexts':
      return yield* ownTexts(document.external_contexts, ({ label, summary }) => `${label}\n${summary}`);
    case 'errors':
      yield* ownTexts(document.error_events, ({ error_type, message }) => `${error_type}: ${message}`);
      for (const { error, span_id } of spans) if (error !== null) yield { text: error, span_id };
      return;
    case 'spans':
      for (const span of document.session_metadata.spans as readonly RecordedPart[])
        yield { text: jsonOf(span), span_id: String(span.span_id) };
      return;
    default: {
      const text = document[where];
      if (text !== null) yield { text, span_id: null };
    }
  }
}

export function* checkPattern(check: PatternCheck, trace: JudgedTrace, matchers: Matchers): CheckSteps {
  const { document } = trace;
  if (isHeadText(check.in) && document[check.in] === null)
    return plain(null, `the trace has no ${HEAD_TEXTS[check.in]}`);
  const found: JudgedText[] = [];
  for (const one of textsOf(trace, check.in)) {
    if (yield* matchText(matchers, check, one.text)) found.push(one);
    yield;
  }
  const isFound = found.length > 0;
  const holds = isFound !== check.not;
  const isPartial = trace.is_partial && !isHeadText(check.in);
  const reason = `${matchWords(check.in, isFound)} ${expressionWords(check.pattern)}`;
  const span_ids = firstSpans(found.map(({ span_id }) => span_id));
  return { ...plain(isFound ? holds : unless(isPartial, holds), reason), span_ids };
}
