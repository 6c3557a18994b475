import { jsonObjectOf, listOf, numberOf, type ProviderProtocol, textOf } from './protocol.ts';

/** Vectors are never recorded. */
export const openaiEmbeddings: ProviderProtocol = {
  operation: 'embeddings',
  inputOf: (body) => body.input,
  read: () => ({
    answer: (data) => ({
      model: textOf(data.model),
      inputTokens: numberOf(jsonObjectOf(data.usage).prompt_tokens),
      outputTokens: 0,
      attributes: { embeddings: listOf(data.data).length },
    }),
    piece: () => ({ hasContent: false }),
    result: () => ({}),
  }),
};
