import type { EmbeddingServer } from '../../../kernel/index.ts';
import { embedderNumber } from '../vector-names.ts';

type NamedModel = Pick<EmbeddingServer, 'model' | 'dimensions'>;

/** The name of an embedder in answers: the model, and what its vectors are cut to. */
export const modelName = ({ model, dimensions }: NamedModel): string =>
  dimensions === null ? model : `${model}@${dimensions}`;

/** Where the model runs does not matter: its vectors are the same. */
export const modelNumber = (model: NamedModel): number => embedderNumber(`model\n${modelName(model)}`);

export const modelConsumer = (model: NamedModel): string => `recall.embed_openai_${modelName(model)}`;
