import type { JsonObject } from '@mem-service/contract';
import { llmRecords } from './llm-records.ts';
import { cut, errorText, payloadOf } from './payload.ts';
import type { BackgroundRecorder } from './recorder.ts';
import type {
  LlmCall,
  LlmCallOptions,
  Span,
  SpanAttributes,
  SpanOptions,
  SpanResult,
  Spans,
  SpanWork,
} from './span-types.ts';
import { newKey } from './transport.ts';

type StartedSpan = { id: string; record: JsonObject; elapsedMs(): number };

export type SpanTracing = {
  recorder: BackgroundRecorder;
  /** Throws if the session is over. */
  check(): void;
  report(error: unknown): void;
  /** Runs the work with the span as the result of `active`. */
  run<R>(span: Span, work: () => R): R;
  active(): Span | undefined;
};

const MAX_NAME_CHARS = 256;

/** The open spans of a session. */
export class SpanLog {
  readonly #tracing: SpanTracing;
  readonly #running = new Map<string, JsonObject>();

  constructor(tracing: SpanTracing) {
    this.#tracing = tracing;
  }

  /** Methods that create children of the parent, or of the active span if there is no parent. */
  below(parent: () => Span | undefined): Spans {
    const placed = <O extends { parent?: Span | null | undefined }>(options: O): O => ({
      parent: parent(),
      ...options,
    });
    const startSpan = (name: string, options: SpanOptions = {}) => this.#start(name, placed(options));
    return {
      startSpan,
      startLlmCall: (options) => this.#startLlmCall(placed(options)),
      span: async <T>(name: string, ...rest: [SpanWork<T>] | [SpanOptions, SpanWork<T>]): Promise<T> => {
        const [options, work] = rest.length === 1 ? [{}, rest[0]] : rest;
        return this.#run(startSpan(name, options), work);
      },
    };
  }

  recordRunning(): void {
    for (const record of this.#running.values())
      this.#tracing.recorder.add('sessions.record_span', { ...record, status: 'running' });
  }

  /** Drops open spans; their last record stays as it is. */
  dropOpen(): void {
    this.#running.clear();
  }

  #start(name: string, options: SpanOptions): Span {
    const begun = this.#begin(name, options);
    const span: Span = {
      id: begun.id,
      name,
      set: ({ output, attributes }) => {
        Object.assign(begun.record, this.#payload('output', output));
        Object.assign(begun.record.attributes as JsonObject, attributes);
      },
      end: (result = {}) => {
        const record = this.#finish(begun, result);
        if (record) this.#tracing.recorder.add('sessions.record_span', record);
      },
      ...this.below(() => span),
    };
    return span;
  }

  async #run<T>(span: Span, work: SpanWork<T>): Promise<T> {
    try {
      const result = await this.#tracing.run(span, () => work(span));
      span.end();
      return result;
    } catch (error) {
      span.end({ error: error ?? 'error' });
      throw error;
    }
  }

  #startLlmCall(options: LlmCallOptions): LlmCall {
    const { model, provider, name = `llm ${model}`, parent, input } = options;
    const begun = this.#begin(name, { kind: 'llm', parent, input, attributes: { provider, ...options.attributes } });
    let firstTokenMs: number | undefined;
    return {
      id: begun.id,
      firstToken() {
        firstTokenMs ??= begun.elapsedMs();
      },
      end: (result = {}) => {
        const first: SpanAttributes = firstTokenMs === undefined ? {} : { time_to_first_token_ms: firstTokenMs };
        const record = this.#finish(begun, { ...result, attributes: { ...first, ...result.attributes } });
        if (!record) return;
        const { call, span } = llmRecords(options, result, record);
        this.#tracing.recorder.add('sessions.record_llm_call', call);
        this.#tracing.recorder.add('sessions.record_span', span);
      },
    };
  }

  #begin(name: string, { kind, parent, input, attributes }: SpanOptions): StartedSpan {
    const { check, active } = this.#tracing;
    check();
    const started = performance.now();
    const above = parent === undefined ? active() : parent;
    const id = newKey();
    const record: JsonObject = {
      span_id: id,
      name: cut(name, MAX_NAME_CHARS),
      started_at: new Date().toISOString(),
      attributes: { ...attributes },
      ...(kind === undefined ? {} : { kind }),
      ...(above ? { parent_span_id: above.id } : {}),
      ...this.#payload('input', input),
    };
    this.#running.set(id, record);
    return { id, record, elapsedMs: () => performance.now() - started };
  }

  #finish({ id, record, elapsedMs }: StartedSpan, { output, attributes, error }: SpanResult): JsonObject | undefined {
    if (!this.#running.delete(id)) return undefined;
    return {
      ...record,
      ...this.#payload('output', output),
      attributes: { ...(record.attributes as JsonObject), ...attributes },
      duration_ms: elapsedMs(),
      ...(error === undefined ? { status: 'ok' } : { status: 'error', error: errorText(error) }),
    };
  }

  /** Never throws: a value that cannot be recorded is left out. */
  #payload(name: 'input' | 'output', value: unknown): JsonObject {
    try {
      const text = payloadOf(value);
      return text === undefined ? {} : { [name]: text };
    } catch (error) {
      this.#tracing.report(error);
      return {};
    }
  }
}
