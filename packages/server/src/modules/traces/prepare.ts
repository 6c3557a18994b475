import { inputSizeInSteps, isInputOfSize } from '../../kernel/index.ts';
import { inTurns } from '../../turns.ts';
import { callOf, errorOf } from './rules/gen-ai.ts';
import { eventsOf, labelsOf, payloadsOf } from './rules/gen-ai-payloads.ts';
import { type OtelSpan, type ReadSpans, readOtelSpansInSteps } from './rules/otel-spans.ts';
import { type Redactions, withRedactions } from './rules/redact.ts';
import { newRedactions, redactionsInSteps, redactJson } from './rules/redact-json.ts';

/** Smaller inputs are redacted within the transaction. */
const LARGE_CHARS = 64 * 1024;

/** Redacts the texts of a large input before its transaction begins, in turns with other requests. */
export function prepareRedactions(input: object): Promise<Redactions> | undefined {
  return isInputOfSize(input, LARGE_CHARS) ? inTurns(measuredRedactions(input)) : undefined;
}

/** Redacts a value, in turns with other requests where it is large. */
export async function redactInTurns(value: unknown): Promise<unknown> {
  if (!isInputOfSize(value, LARGE_CHARS)) return redactJson(value);
  return withRedactions(await inTurns(redactionsInSteps(value)), () => redactJson(value));
}

/** Measures a large input of which little is kept. The queue of writes asks for the size again. */
export function prepareSize(input: object): Promise<undefined> | undefined {
  return isInputOfSize(input, LARGE_CHARS) ? inTurns(inputSizeInSteps(input)).then(() => undefined) : undefined;
}

function* measuredRedactions(input: object): Generator<void, Redactions> {
  yield* inputSizeInSteps(input);
  return yield* redactionsInSteps(input);
}

/** What is recorded of a span and may hold secrets. */
export type SpanContent = ReturnType<typeof contentOf>;

export const contentOf = (span: OtelSpan) => ({
  error: span.is_error ? errorOf(span) : undefined,
  payloads: payloadsOf(span),
  labels: labelsOf(span.attributes),
  events: eventsOf(span),
  call: callOf(span),
});

/** The spans of an exporter's request; where there are many, with their contents and the redactions of those. */
export type PreparedSpans = {
  read: ReadSpans;
  contents?: ReadonlyMap<OtelSpan, SpanContent>;
  redactions?: Redactions;
};

export async function prepareSpans({ resourceSpans }: { resourceSpans: readonly unknown[] }): Promise<PreparedSpans> {
  const read = await inTurns(readOtelSpansInSteps(resourceSpans));
  const isLarge = (await inTurns(inputSizeInSteps(resourceSpans))) >= LARGE_CHARS;
  return isLarge ? { read, ...(await inTurns(prepareContents(read.spans))) } : { read };
}

function* prepareContents(
  spans: readonly OtelSpan[],
): Generator<void, Required<Pick<PreparedSpans, 'contents' | 'redactions'>>> {
  const redactions = newRedactions();
  const contents = new Map<OtelSpan, SpanContent>();
  for (const span of spans) {
    const content = contentOf(span);
    contents.set(span, content);
    yield;
    yield* redactionsInSteps([span.name, content], redactions);
    yield;
  }
  return { contents, redactions };
}
