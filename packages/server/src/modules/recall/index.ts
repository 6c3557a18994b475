import type { EntryEraser, Kernel, Module, Settings, StoreCompanion } from '../../kernel/index.ts';
import { closeEmbedder } from './embedder-thread.ts';
import { fitWeights } from './fit-weights.ts';
import { embedEntries } from './follow-log.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { embedWithModel } from './models/follow-log.ts';
import { closeModelClient } from './models/model-client.ts';
import { removeUnusedVectors } from './models/remove-unused.ts';
import { replayGolden } from './replay-golden.ts';
import { tables } from './tables.ts';
import { removeVectors } from './vector-index.ts';

export { EMBEDDER } from './follow-log.ts';
export { type HitName, hitsIn } from './hits.ts';
export { findLike, type LikeEntry } from './like.ts';
export { FailureWarnings } from './models/failure-warnings.ts';
export { ModelError } from './models/model-error.ts';
export { postJson } from './models/post-json.ts';
export { type ModelProbe, probeModels } from './models/probe.ts';
export { textOfValue } from './rules/passages.ts';

const erasesEntries: EntryEraser = {
  async erase(work, { erasedIds }) {
    await removeVectors(work, { ids: erasedIds });
    return undefined;
  },
};

/** Threads start with their first task and end with the store. */
const startEmbedder = ({ services }: Kernel): StoreCompanion => ({
  async drain() {},
  async close() {
    await Promise.all([closeEmbedder(services), closeModelClient(services)]);
  },
});

/** Finds what helps to answer a question, by words and by meaning. */
export const recall: Module = {
  name: 'recall',
  migrations,
  tables,
  erasesEntries,
  handlers,
  consumers: [embedEntries],
  maintenance: [removeUnusedVectors, replayGolden, fitWeights],
  starts: startEmbedder,
};

/**
 * The modules with the consumers that the settings ask for. Without an embedder nothing follows the log; it goes on from
 * its cursor when there is one again.
 */
export function withEmbedders(modules: readonly Module[], settings: Partial<Settings> = {}): Module[] {
  const { embedder = 'builtin', embedding_server: server } = settings;
  const consumers = embedder === 'off' ? [] : [embedEntries, ...(server ? [embedWithModel(server)] : [])];
  return modules.map((module) => (module.name === recall.name ? { ...module, consumers } : module));
}
