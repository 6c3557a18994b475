import type { LlmCallResult, SpanAttributes } from '../span-types.ts';
import {
  type JsonObject,
  jsonObjectOf,
  listOf,
  numberOf,
  type ProviderProtocol,
  type ResponseReader,
  textOf,
  toolsCalled,
} from './protocol.ts';

export const anthropicMessages: ProviderProtocol = {
  operation: 'messages',
  inputOf: ({ system, messages }) => ({ system, messages }),
  read,
};

/** Anthropic reports input tokens without those written to a cache or read from it. */
function usageOf(usage: JsonObject): LlmCallResult & { attributes: SpanAttributes } {
  const cached = numberOf(usage.cache_read_input_tokens);
  const written = numberOf(usage.cache_creation_input_tokens);
  const fresh = numberOf(usage.input_tokens);
  return {
    inputTokens: fresh === undefined ? undefined : fresh + (cached ?? 0) + (written ?? 0),
    outputTokens: numberOf(usage.output_tokens),
    cachedInputTokens: cached,
    attributes: written ? { cache_creation_input_tokens: written } : {},
  };
}

function resultOf(message: JsonObject, captureContent: boolean): LlmCallResult {
  const { attributes, ...usage } = usageOf(jsonObjectOf(message.usage));
  const tools = listOf(message.content).filter(({ type }) => typeof type === 'string' && type.endsWith('tool_use'));
  return {
    ...usage,
    model: textOf(message.model),
    finishReason: textOf(message.stop_reason),
    attributes: { ...attributes, ...toolsCalled(tools.map(({ name }) => name)) },
    output: captureContent ? message.content : undefined,
  };
}

function read({ captureContent }: { captureContent: boolean }): ResponseReader {
  let message: JsonObject = {};
  const content: JsonObject[] = [];

  /** Concatenates text deltas; the other members of a block arrive with its start. */
  function takeDelta(at: number, delta: JsonObject): void {
    const block = content[at] ?? {};
    content[at] = block;
    const names = { text_delta: 'text', input_json_delta: 'partial_json', thinking_delta: 'thinking' } as const;
    const name = names[delta.type as keyof typeof names];
    if (captureContent && name) block[name] = (textOf(block[name]) ?? '') + (textOf(delta[name]) ?? '');
  }

  return {
    answer: (data) => resultOf(data, captureContent),
    piece(event) {
      const at = numberOf(event.index) ?? 0;
      if (event.type === 'message_start') message = { ...jsonObjectOf(event.message) };
      if (event.type === 'content_block_start') content[at] = { ...jsonObjectOf(event.content_block) };
      if (event.type === 'content_block_delta') takeDelta(at, jsonObjectOf(event.delta));
      if (event.type === 'message_delta') {
        const known = Object.entries(jsonObjectOf(event.usage)).filter(([, value]) => value !== null);
        const usage = { ...jsonObjectOf(message.usage), ...Object.fromEntries(known) };
        message = { ...message, ...jsonObjectOf(event.delta), usage };
      }
      return { hasContent: event.type === 'content_block_delta' };
    },
    result: () => resultOf({ ...message, content }, captureContent),
  };
}
