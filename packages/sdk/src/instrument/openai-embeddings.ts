import * as json from './json.ts';
import type { ProviderProtocol } from './protocol.ts';

/** Vectors are never recorded. */
export const openaiEmbeddings: ProviderProtocol = {
  operation: 'embeddings',
  inputOf: (body) => body.input,
  read: () => ({
    answer: (data) => ({
      model: json.textOf(data.model),
      inputTokens: json.numberOf(json.objectOf(data.usage).prompt_tokens),
      outputTokens: 0,
      attributes: { embeddings: json.listOf(data.data).length },
    }),
    piece: () => ({ hasContent: false }),
    result: () => ({}),
  }),
};
