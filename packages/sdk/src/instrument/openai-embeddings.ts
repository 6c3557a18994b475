import { jsonOf, listOf, numberOf, type Protocol, textOf } from './protocol.ts';

/** Vectors are never recorded. */
export const openaiEmbeddings: Protocol = {
  operation: 'embeddings',
  inputOf: (body) => body.input,
  read: () => ({
    answer: (data) => ({
      model: textOf(data.model),
      inputTokens: numberOf(jsonOf(data.usage).prompt_tokens),
      outputTokens: 0,
      attributes: { embeddings: listOf(data.data).length },
    }),
    piece: () => ({ hasContent: false }),
    result: () => ({}),
  }),
};
