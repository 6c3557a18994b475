import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@mem-service/contract';

export type { JsonObject } from '@mem-service/contract';

export const newTraceId = (): string => randomBytes(16).toString('hex');
export const newSpanId = (): string => randomBytes(8).toString('hex');

const anyValue = (value: unknown): JsonObject => {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: pairs(value as JsonObject) } };
};

const pairs = (attributes: JsonObject): JsonObject[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

export type OtelSpanOptions = {
  traceId?: string;
  spanId?: string;
  parentSpanId?: string;
  name?: string;
  /** Start in milliseconds after the beginning of 2026, and duration. */
  at?: number;
  took?: number;
  attributes?: JsonObject;
  status?: JsonObject;
  events?: { name: string; attributes?: JsonObject }[];
};

const BEGINNING = Date.parse('2026-01-01T00:00:00Z');
const nanos = (ms: number): string => `${BEGINNING + ms}000000`;

export function otelSpan({ at = 0, took = 10, attributes = {}, events = [], ...rest }: OtelSpanOptions): JsonObject {
  return {
    traceId: newTraceId(),
    spanId: newSpanId(),
    name: 'work',
    kind: 1,
    startTimeUnixNano: nanos(at),
    endTimeUnixNano: nanos(at + took),
    attributes: pairs(attributes),
    events: events.map(({ name, attributes: about = {} }) => ({
      timeUnixNano: nanos(at),
      name,
      attributes: pairs(about),
    })),
    ...rest,
  };
}

/** As an exporter sends them: one resource, one scope. */
export const exportOf = (spans: readonly JsonObject[], resource: JsonObject = {}): { resourceSpans: JsonObject[] } => ({
  resourceSpans: [
    { resource: { attributes: pairs(resource) }, scopeSpans: [{ scope: { name: 'tests' }, spans: [...spans] }] },
  ],
});

export const chat = (more: JsonObject = {}): JsonObject => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.usage.input_tokens': 1000,
  'gen_ai.usage.output_tokens': 200,
  ...more,
});
