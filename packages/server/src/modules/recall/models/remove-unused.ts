import type { Transaction } from '../../../db/index.ts';
import { deleteCursor, type Kernel, type MaintenanceTask, SELF_CALLER, unchanged } from '../../../kernel/index.ts';
import { modelConsumer, modelNumber } from './model-names.ts';
import * as queries from './queries.ts';

/**
 * A model that is not configured here may be so on another server, as while servers are restarted one by one. What nobody
 * used for a day is removed.
 */
const UNUSED_MS = 86_400_000;
const TASK = 'recall.remove_unused_vectors';
const MODELS = 100;
const ENTRIES = 1_000;
const BLOCKS = 100;

/** Removes vectors of models that were replaced, once the new one has caught up. */
export const removeUnusedVectors: MaintenanceTask = {
  name: TASK,
  every_seconds: 3_600,
  run: removeUnused,
};

async function removeUnused(kernel: Kernel, isStopping: () => boolean): Promise<void> {
  const { database, clock, settings } = kernel.services;
  if (settings.embedder === 'off') return;
  const { embedding_server: server } = settings;
  const current = server === null ? undefined : modelNumber(server);
  while (!isStopping()) {
    const before = clock.now() - UNUSED_MS;
    const unused = await queries.listUnused(database.scan, { current, before, limit: MODELS });
    for (const model of unused) {
      if (isStopping()) return;
      await removeVectors(kernel, model, { before, isStopping });
    }
    if (unused.length < MODELS) return;
  }
}

type RemoveOptions = { before: number; isStopping: () => boolean };

/** In steps, so that no write of the account waits long. What was not reached comes with the next run. */
async function removeVectors(
  kernel: Kernel,
  unused: queries.UnusedModel,
  { before, isStopping }: RemoveOptions,
): Promise<void> {
  const { account_id, model, cut_to } = unused;
  const { scan } = kernel.services.database.forAccount(account_id);
  const consumer = modelConsumer({ model, dimensions: cut_to === 0 ? null : cut_to });
  /** False where somebody uses the model again: its consumer has begun at the start of the log, as it has no cursor. */
  const step = (remove: (tx: Transaction) => Promise<number>) =>
    kernel.work({ ...SELF_CALLER, account_id }, TASK, async ({ tx }) => {
      const isUnused = (await queries.retireModel(tx, unused, before)) > 0;
      return unchanged(isUnused && !isStopping() ? await remove(tx) : undefined);
    });
  if ((await step((tx) => deleteCursor(tx, { account_id, consumer }))) === undefined) return;
  for (let found: number | undefined = BLOCKS; found === BLOCKS; )
    found = await step((tx) => queries.deleteBlocks(tx, unused, BLOCKS));
  for (let after = 0; ; ) {
    const up_to = await queries.lastOfNext(scan, unused, { after, count: ENTRIES });
    if (up_to === undefined) break;
    const range = { after, up_to };
    if ((await step((tx) => queries.deleteVectorsBetween(tx, unused, range))) === undefined) return;
    after = up_to;
  }
  await step((tx) => queries.deleteModel(tx, unused));
}
