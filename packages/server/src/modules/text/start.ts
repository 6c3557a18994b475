import { type Kernel, SELF_HOSTED_ACCOUNT, type StoreCompanion } from '../../kernel/index.ts';
import { Indexer, indexers } from './indexer.ts';

/** Processes that run one command end before this. */
const FIRST_LOOK_MS = 1000;
/** How often a process looks whether the file of words is still the one that it has open. */
const RELEASE_MS = 5000;

/** Starts following the log of a store in this process. */
export function startIndexer(
  { services, feed }: Kernel,
  onError: (error: unknown) => void,
): StoreCompanion | undefined {
  const { words } = services.database;
  if (!words) return undefined;
  const indexer = new Indexer(words, services.database, onError);
  indexers.set(words, indexer);
  words.countBehind = () => indexer.countBehind();
  const stop = feed.subscribeAll((events, accountId) => indexer.committed(events, accountId));
  const first = setTimeout(() => void indexer.look(SELF_HOSTED_ACCOUNT).catch(onError), FIRST_LOOK_MS).unref();
  const release = setInterval(() => void indexer.release().catch(onError), RELEASE_MS).unref();
  return {
    drain: () => indexer.drain(),
    async close() {
      stop();
      clearTimeout(first);
      clearInterval(release);
      words.throttle = undefined;
      words.countBehind = undefined;
      await indexer.close();
    },
  };
}
