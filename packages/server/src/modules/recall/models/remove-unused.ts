import { deleteCursor, type Kernel, type MaintenanceTask, SELF_CALLER, unchanged } from '../../../kernel/index.ts';
import { modelConsumer, modelNumber } from './model-names.ts';
import * as queries from './queries.ts';

/**
 * A model that is not configured here may be so on another server, as while servers are restarted one by one. What nobody
 * used for a day is removed.
 */
const UNUSED_MS = 86_400_000;
const MODELS = 100;
const ENTRIES = 1_000;

/** Removes vectors of models that were replaced, once the new one has caught up. */
export const removeUnusedVectors: MaintenanceTask = {
  name: 'recall.remove_unused_vectors',
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

/** In steps, so that no write of the account waits long. A step that was not reached comes with the next run. */
async function removeVectors(
  kernel: Kernel,
  unused: queries.UnusedModel,
  { before, isStopping }: RemoveOptions,
): Promise<void> {
  const { account_id, model, cut_to } = unused;
  const caller = { ...SELF_CALLER, account_id };
  const consumer = modelConsumer({ model, dimensions: cut_to === 0 ? null : cut_to });
  const isRetired = await kernel.work(caller, 'recall.remove_unused_vectors', async ({ tx }) => {
    if ((await queries.retireModel(tx, unused, before)) === 0) return unchanged(false);
    // Used again, it begins at the start of the log.
    await deleteCursor(tx, { account_id, consumer });
    return unchanged(true);
  });
  const { scan } = kernel.services.database.forAccount(account_id);
  for (let after = 0; isRetired && !isStopping(); ) {
    const up_to = await queries.lastOfNext(scan, unused, { after, count: ENTRIES });
    await kernel.work(caller, 'recall.remove_unused_vectors', async ({ tx }) => {
      if (up_to === undefined) await queries.deleteModel(tx, unused);
      else await queries.deleteVectorsBetween(tx, unused, { after, up_to });
      return unchanged(null);
    });
    if (up_to === undefined) return;
    after = up_to;
  }
}
