import { inputSizeInSteps, isInputOfSize } from '../../kernel/index.ts';
import { inTurns } from '../../turns.ts';
import { callOf, errorOf } from './rules/gen-ai.ts';
import { eventsOf, labelsOf, payloadsOf } from './rules/gen-ai-payloads.ts';
import { type OtelSpan, type ReadSpans, readOtelSpansInSteps } from './rules/otel-spans.ts';
import { type Redactions, redactionsInSteps } from './rules/redact.ts';

/** Smaller inputs are redacted within the transaction. */
const LARGE_CHARS = 64 * 1024;

/** Redacts the texts of a large input before its transaction begins, in turns with other requests. */
export function prepareRedactions(input: object): Promise<Redactions> | undefined {
  return isInputOfSize(input, LARGE_CHARS) ? inTurns(measuredRedactions(input)) : undefined;
}

/** The queue of writes asks for the size again. */
function* measuredRedactions(input: object): Generator<void, Redactions> {
  yield* inputSizeInSteps(input);
  return yield* redactionsInSteps(input);
}

/** The spans of an exporter's request, and the redactions of their texts where there are many. */
export type PreparedSpans = { read: ReadSpans; redactions: Redactions | undefined };

export async function prepareSpans({ resourceSpans }: { resourceSpans: readonly unknown[] }): Promise<PreparedSpans> {
  const read = await inTurns(readOtelSpansInSteps(resourceSpans));
  const isLarge = (await inTurns(inputSizeInSteps(resourceSpans))) >= LARGE_CHARS;
  return { read, redactions: isLarge ? await inTurns(redactionsOf(read.spans)) : undefined };
}

/** Every text of a span that is redacted when it is recorded. */
const textsOfSpan = (span: OtelSpan) => [
  span.name,
  span.is_error ? errorOf(span) : null,
  payloadsOf(span),
  labelsOf(span.attributes),
  eventsOf(span),
  callOf(span),
];

function* redactionsOf(spans: readonly OtelSpan[]): Generator<void, Redactions> {
  const found = new Map<string, string>();
  for (const span of spans) {
    yield* redactionsInSteps(textsOfSpan(span), found);
    yield;
  }
  return found;
}
