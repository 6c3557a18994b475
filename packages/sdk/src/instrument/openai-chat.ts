import type { LlmCallResult } from '../span-types.ts';
import * as json from './json.ts';
import { type JsonObject, type ProviderProtocol, type ResponseReader, toolsCalled } from './protocol.ts';

export const openaiChat: ProviderProtocol = { operation: 'chat', inputOf: (body) => body.messages, read };

function usageOf(value: unknown): LlmCallResult {
  const usage = json.objectOf(value);
  return {
    inputTokens: json.numberOf(usage.prompt_tokens),
    outputTokens: json.numberOf(usage.completion_tokens),
    cachedInputTokens: json.numberOf(json.objectOf(usage.prompt_tokens_details).cached_tokens),
  };
}

const toolNames = (calls: unknown) =>
  json.listOf(calls).map((call) => json.objectOf(call.function).name ?? json.objectOf(call.custom).name);

function read({ captureContent, isHidingUsage }: { captureContent: boolean; isHidingUsage: boolean }): ResponseReader {
  const seen: { model?: string; finishReason?: string; usage?: unknown; text: string } = { text: '' };
  const tools: { name?: unknown; arguments: string }[] = [];

  function takeTools(delta: JsonObject): void {
    for (const part of json.listOf(delta.tool_calls)) {
      const at = json.numberOf(part.index) ?? 0;
      const call = json.objectOf(part.function);
      const tool = tools[at] ?? { arguments: '' };
      tools[at] = tool;
      tool.name ??= call.name;
      if (captureContent) tool.arguments += json.textOf(call.arguments) ?? '';
    }
  }

  return {
    answer(data) {
      const [choice = {}] = json.listOf(data.choices);
      const message = json.objectOf(choice.message);
      return {
        ...usageOf(data.usage),
        model: json.textOf(data.model),
        finishReason: json.textOf(choice.finish_reason),
        attributes: toolsCalled(toolNames(message.tool_calls)),
        output: captureContent ? json.listOf(data.choices).map((one) => one.message) : undefined,
      };
    },
    piece(data) {
      const [choice] = json.listOf(data.choices);
      const delta = json.objectOf(choice?.delta);
      seen.model ??= json.textOf(data.model) ?? '';
      seen.finishReason = json.textOf(choice?.finish_reason) ?? seen.finishReason ?? '';
      seen.usage = data.usage ?? seen.usage;
      if (captureContent) seen.text += json.textOf(delta.content) ?? '';
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
