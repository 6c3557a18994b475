import type { Request } from '@mem-service/contract';

export type SpanKind = NonNullable<Request<'sessions.record_span'>['kind']>;
export type Scalar = string | number | boolean | null;
export type SpanAttributes = Record<string, Scalar>;

export type SpanOptions = {
  kind?: SpanKind | undefined;
  /** The parent span; null for none. Default: the active span, where the runtime supports it. */
  parent?: Span | null | undefined;
  input?: unknown;
  attributes?: SpanAttributes | undefined;
};

export type SpanResult = {
  output?: unknown;
  attributes?: SpanAttributes | undefined;
  /** The error that it failed with. */
  error?: unknown;
};

export type LlmCallOptions = {
  /** The model as requested. */
  model: string;
  provider: string;
  /** Default: `llm` followed by the model. */
  name?: string | undefined;
  parent?: Span | null | undefined;
  temperature?: number | undefined;
  input?: unknown;
  attributes?: SpanAttributes | undefined;
};

export type LlmCallResult = SpanResult & {
  /** The model that answered, if its name differs. */
  model?: string | undefined;
  /** All input tokens, including those from a cache. */
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  cachedInputTokens?: number | undefined;
  /** Computed by the service from its prices if left out. */
  costUsd?: number | undefined;
  finishReason?: string | undefined;
};

/** A language model call in progress. */
export type LlmCall = {
  readonly id: string;
  /** Marks the arrival of the first token. */
  firstToken(): void;
  /** Records the call and its span in the background. Later calls of `end` are ignored. */
  end(result?: LlmCallResult): void;
};

export type SpanWork<T> = (span: Span) => T | Promise<T>;

/** Methods of a session and of a span that create spans. */
export type Spans = {
  /** Runs the work as a span, which ends with it. Spans created inside are its children. */
  span<T>(name: string, work: SpanWork<T>): Promise<T>;
  span<T>(name: string, options: SpanOptions, work: SpanWork<T>): Promise<T>;
  /** Starts a span that the caller ends. */
  startSpan(name: string, options?: SpanOptions): Span;
  /** For language model clients without instrumentation. */
  startLlmCall(options: LlmCallOptions): LlmCall;
};

/** A piece of work in progress. It is recorded in the background when it ends. */
export type Span = Spans & {
  readonly id: string;
  readonly name: string;
  /** Adds to the record. */
  set(more: Pick<SpanResult, 'output' | 'attributes'>): void;
  /** Later calls are ignored. */
  end(result?: SpanResult): void;
};
