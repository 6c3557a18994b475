import type { LlmCallResult } from '../span-types.ts';
import * as json from './json.ts';
import { type JsonObject, type ProviderProtocol, type ResponseReader, toolsCalled } from './protocol.ts';

export const openaiResponses: ProviderProtocol = {
  operation: 'responses',
  inputOf: ({ instructions, input }) => ({ instructions, input }),
  read,
};

function resultOf(response: JsonObject, captureContent: boolean): LlmCallResult {
  const usage = json.objectOf(response.usage);
  const failure = json.objectOf(response.error);
  return {
    model: json.textOf(response.model),
    inputTokens: json.numberOf(usage.input_tokens),
    outputTokens: json.numberOf(usage.output_tokens),
    cachedInputTokens: json.numberOf(json.objectOf(usage.input_tokens_details).cached_tokens),
    finishReason: json.textOf(json.objectOf(response.incomplete_details).reason) ?? json.textOf(response.status),
    attributes: toolsCalled(json.listOf(response.output).map((item) => item.name)),
    output: captureContent ? response.output : undefined,
    ...(response.status === 'failed' ? { error: json.textOf(failure.message) ?? 'the response failed' } : {}),
  };
}

function read({ captureContent }: { captureContent: boolean }): ResponseReader {
  let response: JsonObject = {};
  let failure: string | undefined;
  return {
    answer: (data) => resultOf(data, captureContent),
    piece(event) {
      // The first event, and each that changes the state, carries the current response.
      if (event.response) response = json.objectOf(event.response);
      if (event.type === 'error') failure = json.textOf(event.message) ?? 'error';
      return { hasContent: typeof event.type === 'string' && event.type.endsWith('.delta') };
    },
    result: () => ({ ...resultOf(response, captureContent), ...(failure === undefined ? {} : { error: failure }) }),
  };
}
