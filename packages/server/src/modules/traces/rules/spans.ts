import { cutText, redactText } from './redact.ts';
import { redactJson } from './redact-json.ts';
import { capPayload } from './span-payloads.ts';
import { resolveParents } from './span-tree.ts';
import { toUtc } from './timestamps.ts';

export const SPAN_KINDS = ['session', 'agent', 'tool', 'memory_read', 'memory_write', 'context', 'llm'] as const;
export type TraceSpanKind = (typeof SPAN_KINDS)[number];
export type SpanStatus = 'ok' | 'error' | 'running';

export type TraceSpan = {
  span_id: string;
  /** Null for a span at the top. */
  parent_span_id: string | null;
  name: string;
  kind: TraceSpanKind;
  status: SpanStatus;
  error: string | null;
  started_at: string | null;
  ended_at: string | null;
  duration_ms: number | null;
  input: unknown;
  output: unknown;
  input_truncated: boolean;
  output_truncated: boolean;
  attributes: Record<string, unknown>;
  events?: readonly unknown[];
  model?: string;
  input_tokens?: number;
  output_tokens?: number;
  cost_usd?: number;
  recorded_at?: string;
};

/** The fields of a span that one call recorded, normalised. */
export type SpanPart = Partial<TraceSpan> & { span_id: string };

const MAX_NAME_CHARS = 256;
const MAX_ERROR_CHARS = 4096;
const DEFAULT_KIND = 'agent';
const STATUSES = ['ok', 'error', 'running'] as const;

type GivenSpan = Readonly<Record<string, unknown>>;

/** What the span of a call takes from it. */
export type SpannedCall = {
  call_id: string;
  model: string;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
  latency_ms: number | null;
  started_at: string;
  error?: unknown;
};

/** Without secrets, with payloads of bounded length and times in UTC. Unknown fields are left out. */
export function normalizeSpan(given: GivenSpan & { span_id: string }, { maxChars }: { maxChars: number }): SpanPart {
  const part = {
    span_id: given.span_id,
    parent_span_id: textOf(given.parent_span_id),
    name: textOf(given.name, (name) => cutText(redactText(name.trim()), MAX_NAME_CHARS)),
    kind: oneOf(SPAN_KINDS, given.kind),
    status: oneOf(STATUSES, given.status),
    error: textOf(given.error, (error) => cutText(redactText(error), MAX_ERROR_CHARS)),
    started_at: toUtc(given.started_at) ?? undefined,
    ended_at: toUtc(given.ended_at) ?? undefined,
    duration_ms: numberOf(given.duration_ms),
    ...payloadOf('input', given, maxChars),
    ...payloadOf('output', given, maxChars),
    attributes: isObject(given.attributes) ? redactJson(given.attributes) : undefined,
    events: Array.isArray(given.events) && given.events.length > 0 ? redactJson(given.events) : undefined,
    model: textOf(given.model),
    input_tokens: numberOf(given.input_tokens),
    output_tokens: numberOf(given.output_tokens),
    cost_usd: numberOf(given.cost_usd),
  };
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as SpanPart;
}

function payloadOf(name: 'input' | 'output', given: GivenSpan, maxChars: number): Record<string, unknown> {
  if (given[name] === undefined) return {};
  const { value, truncated } = capPayload(given[name], maxChars);
  return { [name]: value, [`${name}_truncated`]: truncated || given[`${name}_truncated`] === true };
}

const SPANS_PER_STEP = 64;

/**
 * Merges the recorded parts of each span in order: later values win, and none removes an earlier one. With a yield after
 * some spans.
 */
export function* mergeSpansInSteps(recorded: readonly GivenSpan[]): Generator<void, TraceSpan[]> {
  const given = new Map<string, SpanPart[]>();
  for (const part of recorded as readonly SpanPart[]) {
    const known = given.get(part.span_id);
    if (known) known.push(part);
    else given.set(part.span_id, [part]);
  }
  const merged: TraceSpan[] = [];
  for (const parts of given.values()) {
    merged.push(wholeOf(parts));
    if (merged.length % SPANS_PER_STEP === 0) yield;
  }
  return resolveParents(merged);
}

/**
 * The spans of a session with one for each call of a language model. A call that was recorded with a span of its own, of
 * the same id, has one already.
 */
export function mergeSpansAndCallsInSteps(
  recorded: readonly GivenSpan[],
  calls: readonly SpannedCall[],
): Generator<void, TraceSpan[]> {
  const known = new Set(recorded.map(({ span_id }) => span_id));
  return mergeSpansInSteps([...recorded, ...calls.filter(({ call_id }) => !known.has(call_id)).map(spanOfCall)]);
}

function spanOfCall({ call_id, model, latency_ms, started_at, cost_usd, ...call }: SpannedCall): SpanPart {
  const error = typeof call.error === 'string' && call.error !== '' ? call.error : undefined;
  return {
    span_id: call_id,
    name: model,
    kind: 'llm',
    status: error === undefined ? 'ok' : 'error',
    ...(error === undefined ? {} : { error }),
    started_at,
    ...(latency_ms === null ? {} : { duration_ms: latency_ms }),
    model,
    input_tokens: call.input_tokens,
    output_tokens: call.output_tokens,
    ...(cost_usd === null ? {} : { cost_usd }),
  };
}

function wholeOf(parts: readonly SpanPart[]): TraceSpan {
  const all = merge(parts.map(definedMembers)) as SpanPart;
  const kinds = parts.flatMap(({ kind }) => (kind === undefined || kind === DEFAULT_KIND ? [] : [kind]));
  return {
    parent_span_id: null,
    name: '',
    error: null,
    input: null,
    output: null,
    input_truncated: false,
    output_truncated: false,
    ...all,
    // The call that ends a span rarely repeats its kind.
    kind: kinds.at(-1) ?? DEFAULT_KIND,
    attributes: merge(parts.map((part) => part.attributes ?? {})),
    ...timesOf(parts, all),
  };
}

type SpanTimes = Pick<TraceSpan, 'status' | 'started_at' | 'ended_at' | 'duration_ms'>;

/** Derives missing times from the others, and from when the parts were recorded. */
function timesOf(parts: readonly SpanPart[], all: SpanPart): SpanTimes {
  const status = statusOf(all);
  const { duration_ms: duration = null } = all;
  const given = all.started_at ?? null;
  if (status === 'running') {
    return { status, started_at: given ?? parts[0]?.recorded_at ?? null, ended_at: null, duration_ms: null };
  }
  const ended_at = all.ended_at ?? shift(given, duration) ?? parts.at(-1)?.recorded_at ?? null;
  const isStartKnown = given !== null || parts.length > 1;
  const recorded = earlier(parts[0]?.recorded_at ?? null, ended_at);
  const started_at = given ?? (isStartKnown ? null : shift(ended_at, duration, -1)) ?? recorded;
  const measured = isStartKnown && started_at && ended_at ? Date.parse(ended_at) - Date.parse(started_at) : null;
  return { status, started_at, ended_at, duration_ms: duration ?? (measured === null ? null : Math.max(0, measured)) };
}

/** A span that is recorded after its end began no later than it ended. */
const earlier = (recorded: string | null, ended: string | null): string | null =>
  recorded !== null && ended !== null && ended < recorded ? ended : recorded;

function statusOf({ status, error, ended_at, duration_ms }: SpanPart): SpanStatus {
  if (status === 'ok' || status === 'error') return status;
  const isOver = (ended_at ?? duration_ms ?? null) !== null;
  if (error && (isOver || status === undefined)) return 'error';
  return isOver ? 'ok' : 'running';
}

function shift(time: string | null, ms: number | null, direction: 1 | -1 = 1): string | null {
  if (time === null || ms === null) return null;
  const shifted = new Date(Date.parse(time) + direction * ms);
  return Number.isNaN(shifted.getTime()) ? null : shifted.toISOString();
}

/** Not by assignment: a member may be called `__proto__`. */
function merge(parts: readonly object[]): Record<string, unknown> {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}

/** A payload may be null; any other null means that the field was not given. */
function definedMembers(part: SpanPart): object {
  const isDefined = ([name, value]: [string, unknown]) =>
    (value ?? undefined) !== undefined || /^(?:in|out)put$/.test(name);
  return Object.fromEntries(Object.entries(part).filter(isDefined));
}

function textOf(value: unknown, map: (text: string) => string = (text) => text): string | undefined {
  return typeof value === 'string' && value !== '' ? map(value) : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function oneOf<T extends string>(allowed: readonly T[], value: unknown): T | undefined {
  return allowed.find((one) => one === value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
