export type OtelAttributes = Readonly<Record<string, unknown>>;

export type OtelEvent = { name: string; at: string | null; attributes: OtelAttributes };

/** A span as an OpenTelemetry exporter sends it, with plain values. */
export type OtelSpan = {
  trace_id: string;
  span_id: string;
  /** Null for the root span. */
  parent_span_id: string | null;
  name: string;
  started_at: string | null;
  ended_at: string | null;
  duration_ms: number | null;
  is_error: boolean;
  message: string;
  attributes: OtelAttributes;
  resource: OtelAttributes;
  events: readonly OtelEvent[];
  scope: string;
};

/** The limit of spans per request. Exporters send a few hundred. */
export const MAX_SPANS = 10_000;
const MAX_VALUE_DEPTH = 32;

export type ReadSpans = { spans: OtelSpan[]; rejected: number; reason: string | null };

/** Reads all spans of a request, and counts invalid ones with the reason; with a yield after each. */
export function* readOtelSpansInSteps(resourceSpans: readonly unknown[]): Generator<void, ReadSpans> {
  const read: ReadSpans = { spans: [], rejected: 0, reason: null };
  for (const one of resourceSpans.map(objectOf)) {
    const resource = attributesOf(objectOf(one.resource).attributes);
    for (const inScope of listOf(one.scopeSpans).map(objectOf)) {
      const scope = textOf(objectOf(inScope.scope).name);
      for (const given of listOf(inScope.spans)) {
        take(read, given, { resource, scope });
        yield;
      }
    }
  }
  return read;
}

type SpanSurroundings = Pick<OtelSpan, 'resource' | 'scope'>;

function take(read: ReadSpans, given: unknown, around: SpanSurroundings): void {
  const span = read.spans.length < MAX_SPANS ? toSpan(objectOf(given), around) : `there are more than ${MAX_SPANS}`;
  if (typeof span === 'object') read.spans.push(span);
  else {
    read.rejected++;
    read.reason ??= span;
  }
}

/** Returns the span, or the reason why it is invalid. */
function toSpan(given: Record<string, unknown>, around: SpanSurroundings): OtelSpan | string {
  const trace_id = idOf(given.traceId, 32);
  const span_id = idOf(given.spanId, 16);
  if (trace_id === null) return 'a span has no traceId of 32 hexadecimal digits';
  if (span_id === null) return 'a span has no spanId of 16 hexadecimal digits';
  const status = objectOf(given.status);
  const start = nanosOf(given.startTimeUnixNano);
  const end = nanosOf(given.endTimeUnixNano);
  return {
    trace_id,
    span_id,
    parent_span_id: idOf(given.parentSpanId, 16),
    name: textOf(given.name).trim() || 'unnamed',
    started_at: isoOf(start),
    ended_at: isoOf(end),
    duration_ms: start === null || end === null ? null : Math.max(0, Number(end - start) / 1e6),
    is_error: status.code === 2 || status.code === 'STATUS_CODE_ERROR',
    message: textOf(status.message),
    attributes: attributesOf(given.attributes),
    events: listOf(given.events).map(objectOf).map(toEvent),
    ...around,
  };
}

const toEvent = (given: Record<string, unknown>): OtelEvent => ({
  name: textOf(given.name),
  at: isoOf(nanosOf(given.timeUnixNano)),
  attributes: attributesOf(given.attributes),
});

function idOf(given: unknown, digits: number): string | null {
  if (typeof given !== 'string' || given.length !== digits || !/^[0-9a-f]+$/i.test(given)) return null;
  return /^0+$/.test(given) ? null : given.toLowerCase();
}

/** 64-bit numbers are text in JSON; some exporters send numbers all the same. 0 means no time. */
function nanosOf(given: unknown): bigint | null {
  const isGiven = typeof given === 'string' ? /^\d{1,20}$/.test(given) : Number.isFinite(given) && Number(given) > 0;
  const nanos = isGiven ? BigInt(typeof given === 'string' ? given : Math.trunc(given as number)) : 0n;
  return nanos > 0n ? nanos : null;
}

const LAST_MS = Date.UTC(9999, 11, 31);

function isoOf(nanos: bigint | null): string | null {
  const ms = nanos === null ? Number.NaN : Number(nanos / 1_000_000n);
  return ms <= LAST_MS ? new Date(ms).toISOString() : null;
}

export function attributesOf(given: unknown): OtelAttributes {
  const pairs = listOf(given).map(objectOf);
  return Object.fromEntries(pairs.map(({ key, value }) => [textOf(key), plainValue(value, 0)]));
}

function plainValue(given: unknown, depth: number): unknown {
  const value = objectOf(given);
  if (typeof value.stringValue === 'string') return value.stringValue;
  if (typeof value.boolValue === 'boolean') return value.boolValue;
  if (value.intValue !== undefined) return numberOf(value.intValue);
  if (value.doubleValue !== undefined) return numberOf(value.doubleValue);
  if (typeof value.bytesValue === 'string') return value.bytesValue;
  if (depth > MAX_VALUE_DEPTH) return null;
  if (value.arrayValue !== undefined)
    return listOf(objectOf(value.arrayValue).values).map((item) => plainValue(item, depth + 1));
  if (value.kvlistValue === undefined) return null;
  const pairs = listOf(objectOf(value.kvlistValue).values).map(objectOf);
  return Object.fromEntries(pairs.map((pair) => [textOf(pair.key), plainValue(pair.value, depth + 1)]));
}

/** A number that JavaScript would round stays text. */
function numberOf(given: unknown): number | string | null {
  if (typeof given !== 'string' && typeof given !== 'number') return null;
  const number = Number(given);
  if (typeof given === 'string' && (given.trim() === '' || !Number.isFinite(number))) return given;
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? String(given) : number;
}

function objectOf(given: unknown): Record<string, unknown> {
  return typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as Record<string, unknown>) : {};
}

function listOf(given: unknown): unknown[] {
  return Array.isArray(given) ? given : [];
}

function textOf(given: unknown): string {
  return typeof given === 'string' ? given : '';
}
