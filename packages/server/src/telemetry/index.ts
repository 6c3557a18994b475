import type { JsonObject } from '../otlp/index.ts';
import { SpanExporter } from './exporter.ts';
import type { TelemetrySettings } from './settings.ts';
import { beginTrace, childContext, type TraceContext } from './trace-context.ts';

export { readTelemetry, type TelemetryConfig, type TelemetrySettings } from './settings.ts';

/** A span that has started and is exported when it ends. */
export type OpenSpan = TraceContext & { startedAtMs: number; started: number };

export type SpanEnd = {
  name: string;
  kind: 'server' | 'internal';
  /** Names, numbers and codes; nothing from a caller. */
  attributes: Record<string, string | number>;
  /** Undefined: it succeeded. */
  error?: string | undefined;
};

const KINDS = { internal: 1, server: 2 } as const;
const ERROR = 2;
const SAMPLED = 1;

/** The service's own spans. */
export class Telemetry {
  readonly #settings: TelemetrySettings;
  readonly #exporter: SpanExporter;

  constructor(settings: TelemetrySettings, warn: (about: object) => void) {
    this.#settings = settings;
    this.#exporter = new SpanExporter(settings, warn);
  }

  begin(traceparent: string | string[] | undefined): OpenSpan {
    return started(beginTrace(traceparent, this.#settings.sampler));
  }

  beginWithin(parent: OpenSpan): OpenSpan {
    return started(childContext(parent));
  }

  end(span: OpenSpan, { name, kind, attributes, error }: SpanEnd): void {
    if (!span.isSampled) return;
    const start = BigInt(span.startedAtMs) * 1_000_000n;
    this.#exporter.add({
      traceId: span.trace_id,
      spanId: span.span_id,
      ...(span.parent_span_id === null ? {} : { parentSpanId: span.parent_span_id }),
      name,
      kind: KINDS[kind],
      startTimeUnixNano: start.toString(),
      endTimeUnixNano: (start + nanosSince(span.started)).toString(),
      attributes: Object.entries(attributes).map(toPair),
      status: error === undefined ? {} : { code: ERROR, message: error },
      flags: SAMPLED,
    });
  }

  /** Sends the remaining spans. */
  close(): Promise<void> {
    return this.#exporter.close();
  }
}

/** Durations use the monotonic clock. */
const started = (context: TraceContext): OpenSpan => ({
  ...context,
  startedAtMs: Date.now(),
  started: performance.now(),
});

const nanosSince = (mark: number): bigint => BigInt(Math.max(0, Math.round((performance.now() - mark) * 1e6)));

function toPair([key, value]: [string, string | number]): JsonObject {
  return { key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } };
}
