import type { EntryEraser, Kernel, Module, StoreCompanion } from '../../kernel/index.ts';
import { closeEmbedder } from './embedder-thread.ts';
import { fitWeights } from './fit-weights.ts';
import { embedEntries } from './follow-log.ts';
import { handlers } from './handlers.ts';
import { migrations } from './migrations.ts';
import { replayGolden } from './replay-golden.ts';
import { tables } from './tables.ts';
import { removeVectors } from './vector-index.ts';

const erasesEntries: EntryEraser = {
  async erase(work, { erasedIds }) {
    await removeVectors(work, { ids: erasedIds });
    return undefined;
  },
};

/** The thread starts with its first task and ends with the store. */
const startEmbedder = ({ services }: Kernel): StoreCompanion => ({
  async drain() {},
  close: () => closeEmbedder(services),
});

/** Finds what helps to answer a question, by words and by meaning. */
export const recall: Module = {
  name: 'recall',
  migrations,
  tables,
  erasesEntries,
  handlers,
  consumers: [embedEntries],
  maintenance: [replayGolden, fitWeights],
  starts: startEmbedder,
};

/** Without an embedder nothing follows the log; it goes on from its cursor when there is one again. */
export const withoutEmbedder = (modules: readonly Module[]): Module[] =>
  modules.map((module) => (module.name === recall.name ? { ...module, consumers: [] } : module));
