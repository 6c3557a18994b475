import type { Request } from '@mem-service/contract';

export type SpanKind = NonNullable<Request<'sessions.record_span'>['kind']>;
export type Scalar = string | number | boolean | null;
export type SpanAttributes = Record<string, Scalar>;

export type SpanOptions = {
  kind?: SpanKind | undefined;
  /** The span it belongs to; null for none. By default the one that is running, where the runtime can tell. */
  parent?: Span | null | undefined;
  input?: unknown;
  attributes?: SpanAttributes | undefined;
};

export type SpanResult = {
  output?: unknown;
  attributes?: SpanAttributes | undefined;
  /** What it ended with, where it failed. */
  error?: unknown;
};

export type LlmCallOptions = {
  /** As it was asked for. */
  model: string;
  provider: string;
  /** Default: `llm` and the model. */
  name?: string | undefined;
  parent?: Span | null | undefined;
  temperature?: number | undefined;
  input?: unknown;
  attributes?: SpanAttributes | undefined;
};

export type LlmCallResult = SpanResult & {
  /** The model that answered, where that is another name. */
  model?: string | undefined;
  /** All of the input, with what came from a cache. */
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  cachedInputTokens?: number | undefined;
  /** Priced by the service where it is left out. */
  costUsd?: number | undefined;
  finishReason?: string | undefined;
};

/** A call of a language model that is under way. */
export type LlmCall = {
  readonly id: string;
  /** The first of the answer is there. */
  firstToken(): void;
  /** Records the call and its span, in the background. Only the first time counts. */
  end(result?: LlmCallResult): void;
};

export type SpanWork<T> = (span: Span) => T | Promise<T>;

/** What can be done within a session, and within a span of it. */
export type Spans = {
  /** Runs the work as a span, which ends with it. Spans within it are below it. */
  span<T>(name: string, work: SpanWork<T>): Promise<T>;
  span<T>(name: string, options: SpanOptions, work: SpanWork<T>): Promise<T>;
  /** A span that is ended by hand. */
  startSpan(name: string, options?: SpanOptions): Span;
  /** For clients of language models that are not instrumented. */
  startLlmCall(options: LlmCallOptions): LlmCall;
};

/** A piece of work that is under way. It is recorded in the background, when it ends. */
export type Span = Spans & {
  readonly id: string;
  readonly name: string;
  /** Adds to what will be recorded. */
  set(more: Pick<SpanResult, 'output' | 'attributes'>): void;
  /** Only the first time counts. */
  end(result?: SpanResult): void;
};
