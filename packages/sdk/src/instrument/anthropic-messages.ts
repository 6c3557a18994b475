import type { LlmCallResult, SpanAttributes } from '../span-types.ts';
import * as json from './json.ts';
import { type JsonObject, type ProviderProtocol, type ResponseReader, toolsCalled } from './protocol.ts';

export const anthropicMessages: ProviderProtocol = {
  operation: 'messages',
  inputOf: ({ system, messages }) => ({ system, messages }),
  read,
};

/** Anthropic reports input tokens without those written to a cache or read from it. */
function usageOf(usage: JsonObject): LlmCallResult & { attributes: SpanAttributes } {
  const cached = json.numberOf(usage.cache_read_input_tokens);
  const written = json.numberOf(usage.cache_creation_input_tokens);
  const fresh = json.numberOf(usage.input_tokens);
  return {
    inputTokens: fresh === undefined ? undefined : fresh + (cached ?? 0) + (written ?? 0),
    outputTokens: json.numberOf(usage.output_tokens),
    cachedInputTokens: cached,
    attributes: written ? { cache_creation_input_tokens: written } : {},
  };
}

function resultOf(message: JsonObject, captureContent: boolean): LlmCallResult {
  const { attributes, ...usage } = usageOf(json.objectOf(message.usage));
  const tools = json
    .listOf(message.content)
    .filter(({ type }) => typeof type === 'string' && type.endsWith('tool_use'));
  return {
    ...usage,
    model: json.textOf(message.model),
    finishReason: json.textOf(message.stop_reason),
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
    if (captureContent && name) block[name] = (json.textOf(block[name]) ?? '') + (json.textOf(delta[name]) ?? '');
  }

  return {
    answer: (data) => resultOf(data, captureContent),
    piece(event) {
      const at = json.numberOf(event.index) ?? 0;
      if (event.type === 'message_start') message = { ...json.objectOf(event.message) };
      if (event.type === 'content_block_start') content[at] = { ...json.objectOf(event.content_block) };
      if (event.type === 'content_block_delta') takeDelta(at, json.objectOf(event.delta));
      if (event.type === 'message_delta') {
        const known = Object.entries(json.objectOf(event.usage)).filter(([, value]) => value !== null);
        const usage = { ...json.objectOf(message.usage), ...Object.fromEntries(known) };
        message = { ...message, ...json.objectOf(event.delta), usage };
      }
      return { hasContent: event.type === 'content_block_delta' };
    },
    result: () => resultOf({ ...message, content }, captureContent),
  };
}
