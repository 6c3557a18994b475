import type { LlmCallResult } from '../span-types.ts';
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

export const openaiChat: ProviderProtocol = { operation: 'chat', inputOf: (body) => body.messages, read };

function usageOf(value: unknown): LlmCallResult {
  const usage = jsonObjectOf(value);
  return {
    inputTokens: numberOf(usage.prompt_tokens),
    outputTokens: numberOf(usage.completion_tokens),
    cachedInputTokens: numberOf(jsonObjectOf(usage.prompt_tokens_details).cached_tokens),
  };
}

const toolNames = (calls: unknown) =>
  listOf(calls).map((call) => jsonObjectOf(call.function).name ?? jsonObjectOf(call.custom).name);

function read({ captureContent, isHidingUsage }: { captureContent: boolean; isHidingUsage: boolean }): ResponseReader {
  const seen: { model?: string; finishReason?: string; usage?: unknown; text: string } = { text: '' };
  const tools: { name?: unknown; arguments: string }[] = [];

  function takeTools(delta: JsonObject): void {
    for (const part of listOf(delta.tool_calls)) {
      const at = numberOf(part.index) ?? 0;
      const call = jsonObjectOf(part.function);
      const tool = tools[at] ?? { arguments: '' };
      tools[at] = tool;
      tool.name ??= call.name;
      if (captureContent) tool.arguments += textOf(call.arguments) ?? '';
    }
  }

  return {
    answer(data) {
      const [choice = {}] = listOf(data.choices);
      const message = jsonObjectOf(choice.message);
      return {
        ...usageOf(data.usage),
        model: textOf(data.model),
        finishReason: textOf(choice.finish_reason),
        attributes: toolsCalled(toolNames(message.tool_calls)),
        output: captureContent ? listOf(data.choices).map((one) => one.message) : undefined,
      };
    },
    piece(data) {
      const [choice] = listOf(data.choices);
      const delta = jsonObjectOf(choice?.delta);
      seen.model ??= textOf(data.model) ?? '';
      seen.finishReason = textOf(choice?.finish_reason) ?? seen.finishReason ?? '';
      seen.usage = data.usage ?? seen.usage;
      if (captureContent) seen.text += textOf(delta.content) ?? '';
      takeTools(delta);
      const hasContent = Boolean(delta.content || delta.tool_calls || delta.refusal);
      return { hasContent, isHidden: isHidingUsage && choice === undefined && Boolean(data.usage) };
    },
    result: () => ({
      ...usageOf(seen.usage),
      model: seen.model,
      finishReason: seen.finishReason || undefined,
      attributes: toolsCalled(tools.map((tool) => tool?.name)),
      output: captureContent ? [{ role: 'assistant', content: seen.text, tool_calls: tools }] : undefined,
    }),
  };
}
