import type { OtelAttributes, OtelSpan } from './otel-spans.ts';
import type { TraceSpanKind } from './spans.ts';

/** Prefixes of attributes about agents and language models, in the known conventions. */
const SPEAKS = /^(?:gen_ai|openinference|llm|traceloop|ai)\./;

/** Whether a span is about an agent or a language model, regardless of the rest of its trace. */
export function isGenAi({ attributes }: OtelSpan): boolean {
  return Object.keys(attributes).some((name) => SPEAKS.test(name));
}

/**
 * The attribute that names the kind in each convention: GenAI's operation, the kinds of OpenInference and OpenLLMetry, our
 * own.
 */
const KINDS: readonly (readonly [attribute: string, kinds: Readonly<Record<string, TraceSpanKind>>])[] = [
  [
    'gen_ai.operation.name',
    {
      chat: 'llm',
      text_completion: 'llm',
      completion: 'llm',
      generate_content: 'llm',
      embeddings: 'llm',
      execute_tool: 'tool',
      invoke_agent: 'agent',
      create_agent: 'agent',
      retrieval: 'context',
    },
  ],
  [
    'openinference.span.kind',
    {
      llm: 'llm',
      embedding: 'llm',
      tool: 'tool',
      retriever: 'context',
      reranker: 'context',
      agent: 'agent',
      chain: 'agent',
    },
  ],
  ['traceloop.span.kind', { tool: 'tool', agent: 'agent', workflow: 'agent', task: 'agent' }],
  ['ai.operationId', { 'ai.toolCall': 'tool' }],
  ['mem.effect', { read: 'memory_read', write: 'memory_write' }],
];

export function kindOf(attributes: OtelAttributes): TraceSpanKind {
  for (const [attribute, kinds] of KINDS) {
    const given = attributes[attribute];
    if (typeof given !== 'string') continue;
    const kind = kinds[given] ?? kinds[given.toLowerCase()];
    if (kind !== undefined) return kind;
  }
  // Older conventions had no operation: only the model's name identifies a call.
  return textIn(attributes, OLD_MODELS) === undefined ? 'agent' : 'llm';
}

const OLD_MODELS = ['gen_ai.request.model', 'gen_ai.response.model'];
const MODELS = [
  'gen_ai.response.model',
  'llm.model_name',
  'embedding.model_name',
  'gen_ai.request.model',
  'llm.request.model',
];
const PROVIDERS = ['gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'llm.system'];
const INPUT_TOKENS = ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.token_count.prompt'];
const OUTPUT_TOKENS = ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens', 'llm.token_count.completion'];
const CACHED_TOKENS = [
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_read_input_tokens',
  'llm.token_count.prompt_details.cache_read',
];
const COSTS = ['gen_ai.usage.cost', 'llm.cost.total'];

const MAX_TEXT_CHARS = 256;

/** The language model call of a span, in our field names; undefined where the span is not a call. */
export function callOf(span: OtelSpan): Record<string, unknown> | undefined {
  const { attributes, started_at, duration_ms } = span;
  const model = textIn(attributes, MODELS);
  if (kindOf(attributes) !== 'llm' || model === undefined) return undefined;
  const given = {
    model,
    provider: textIn(attributes, PROVIDERS),
    input_tokens: countIn(attributes, INPUT_TOKENS),
    output_tokens: countIn(attributes, OUTPUT_TOKENS),
    cached_input_tokens: countIn(attributes, CACHED_TOKENS),
    cost_usd: numberIn(attributes, COSTS),
    latency_ms: duration_ms ?? undefined,
    started_at: started_at ?? undefined,
    temperature: numberIn(attributes, ['gen_ai.request.temperature']),
    finish_reason: finishReason(attributes),
    response_id: textIn(attributes, ['gen_ai.response.id']),
    operation: textIn(attributes, ['gen_ai.operation.name', 'openinference.span.kind'])?.toLowerCase(),
    error: span.is_error ? errorOf(span) : undefined,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function finishReason(attributes: OtelAttributes): string | undefined {
  const reasons = attributes['gen_ai.response.finish_reasons'] ?? attributes['llm.finish_reason'];
  const first = Array.isArray(reasons) ? reasons[0] : reasons;
  return typeof first === 'string' && first !== '' ? first.slice(0, 64) : undefined;
}

/** The error in the words of the status or of the exception, or else its type. */
export function errorOf({ message, events, attributes }: OtelSpan): string {
  const exception = events.find(({ name }) => name === 'exception')?.attributes ?? {};
  const words = [message, exception['exception.message'], exception['exception.type'], attributes['error.type']];
  return words.find((word): word is string => typeof word === 'string' && word !== '') ?? 'failed';
}

export function textIn(attributes: OtelAttributes, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = attributes[name];
    if (typeof value === 'string' && value.trim() !== '')
      return storable(value).slice(0, MAX_TEXT_CHARS).toWellFormed();
  }
  return undefined;
}

/** PostgreSQL text cannot hold NUL. */
const storable = (text: string): string => text.replaceAll('\0', '');

function numberIn(attributes: OtelAttributes, names: readonly string[]): number | undefined {
  const found = names.map((name) => attributes[name]).find((value) => typeof value === 'number' && value >= 0);
  return found as number | undefined;
}

function countIn(attributes: OtelAttributes, names: readonly string[]): number | undefined {
  const count = numberIn(attributes, names);
  return count === undefined ? undefined : Math.min(Math.trunc(count), Number.MAX_SAFE_INTEGER);
}
