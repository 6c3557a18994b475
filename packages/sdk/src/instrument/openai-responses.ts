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

export const openaiResponses: ProviderProtocol = {
  operation: 'responses',
  inputOf: ({ instructions, input }) => ({ instructions, input }),
  read,
};

function resultOf(response: JsonObject, captureContent: boolean): LlmCallResult {
  const usage = jsonObjectOf(response.usage);
  const failure = jsonObjectOf(response.error);
  return {
    model: textOf(response.model),
    inputTokens: numberOf(usage.input_tokens),
    outputTokens: numberOf(usage.output_tokens),
    cachedInputTokens: numberOf(jsonObjectOf(usage.input_tokens_details).cached_tokens),
    finishReason: textOf(jsonObjectOf(response.incomplete_details).reason) ?? textOf(response.status),
    attributes: toolsCalled(listOf(response.output).map((item) => item.name)),
    output: captureContent ? response.output : undefined,
    ...(response.status === 'failed' ? { error: textOf(failure.message) ?? 'the response failed' } : {}),
  };
}

function read({ captureContent }: { captureContent: boolean }): ResponseReader {
  let response: JsonObject = {};
  let failure: string | undefined;
  return {
    answer: (data) => resultOf(data, captureContent),
    piece(event) {
      // The first event, and each that changes the state, carries the current response.
      if (event.response) response = jsonObjectOf(event.response);
      if (event.type === 'error') failure = textOf(event.message) ?? 'error';
      return { hasContent: typeof event.type === 'string' && event.type.endsWith('.delta') };
    },
    result: () => ({ ...resultOf(response, captureContent), ...(failure === undefined ? {} : { error: failure }) }),
  };
}
