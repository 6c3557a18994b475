import {
  type Consumer,
  type ConsumerContext,
  type EmbeddingServer,
  isWantedAfter,
  type LogEvent,
  Postponed,
  type Work,
} from '../../../kernel/index.ts';
import { findDocuments, type NamedHead } from '../../entries/index.ts';
import { EMBEDDED_EVENTS, newestOf } from '../follow-log.ts';
import { storeVectors } from '../store-vectors.ts';
import type { EmbeddedText } from '../thread-tasks.ts';
import { modelClientOf } from './model-client.ts';
import { type AskedOutcome, failureText, type ModelFailure } from './model-error.ts';
import { modelConsumer, modelNumber } from './model-names.ts';
import type { EmbeddedDocuments } from './model-tasks.ts';
import { keepModel, listModels } from './queries.ts';

/** Events that are searched for one that is left to do. */
const MAX_SEARCHED = 50_000;
const WRONG_MODEL_MS = 300_000;

/** Keeps vectors of a model outside the service beside the built-in ones. Another model is another consumer, which begins again. */
export const embedWithModel = (server: EmbeddingServer): Consumer => ({
  name: modelConsumer(server),
  event_types: EMBEDDED_EVENTS,
  starts_at: 'the beginning',
  batch_size: server.batch,
  delay_seconds: 1,
  handle: (context, events) => followEvents(server, context, events),
});

async function followEvents(
  server: EmbeddingServer,
  context: ConsumerContext,
  events: readonly LogEvent[],
): Promise<void> {
  const written = await newestOf(context, events);
  const embedded: EmbeddedDocuments = { parts: [], dimensions: 0, tokens: 0, refused: 0 };
  for await (const texts of documentsOf(context, written)) {
    const outcome = await unlessStopped(context, modelClientOf(context.kernel.services).embed(server, texts));
    // The thread that asks ends with the service.
    if (outcome === undefined || context.isStopping()) return;
    if ('failure' in outcome) throw postponedBy(outcome.failure);
    embedded.parts.push(...outcome.answer.parts);
    embedded.dimensions ||= outcome.answer.dimensions;
  }
  const last = events.at(-1)?.seq ?? 0;
  await context.work((work) => store(work, { server, written, embedded, last }));
}

/** All short documents together, then the long ones one at a time: each may have megabytes. */
async function* documentsOf(
  { kernel, account_id }: ConsumerContext,
  written: readonly NamedHead[],
): AsyncGenerator<EmbeddedText[]> {
  const live = written.filter(({ deleted }) => deleted !== 1);
  const short = live.flatMap(({ entry_id, document }) => (document === null ? [] : [{ entry_id, document }]));
  if (short.length > 0) yield short;
  const { scan } = kernel.services.database.forAccount(account_id);
  for (const head of live) {
    if (head.document !== null) continue;
    const [document] = await findDocuments(scan, account_id, [head]);
    if (document !== undefined) yield [{ entry_id: head.entry_id, document }];
  }
}

const unlessStopped = <T>({ stopped }: ConsumerContext, asked: Promise<AskedOutcome<T>>) =>
  new Promise<AskedOutcome<T> | undefined>((resolve, reject) => {
    const stop = () => resolve(undefined);
    if (stopped.aborted) stop();
    stopped.addEventListener('abort', stop, { once: true });
    asked.then(resolve, reject).finally(() => stopped.removeEventListener('abort', stop));
  });

const postponedBy = (failure: ModelFailure): Postponed =>
  new Postponed(failureText(failure), failure.retry_after_ms ?? 0);

type NewDocuments = {
  server: EmbeddingServer;
  written: readonly NamedHead[];
  embedded: EmbeddedDocuments;
  /** The `seq` of the last event that was followed. */
  last: number;
};

async function store(work: Work, { server, written, embedded, last }: NewDocuments): Promise<void> {
  const { tx, dialect, account_id, now } = work;
  const { parts, dimensions } = embedded;
  const embedder = modelNumber(server);
  const known = (await listModels(tx, account_id)).find((row) => row.embedder === embedder)?.dimensions ?? 0;
  if (known > 0 && dimensions > 0 && known !== dimensions)
    throw new Postponed(`bad_answer: vectors had ${known} dimensions, and have ${dimensions} now`, WRONG_MODEL_MS);
  await storeVectors(work, { written, parts, embedder });
  const searched = { account_id, after: last, most: MAX_SEARCHED, event_types: EMBEDDED_EVENTS };
  const isLast = !(await isWantedAfter(tx, dialect, searched));
  const { model, dimensions: cut } = server;
  const row = { account_id, embedder, model, cut_to: cut ?? 0, dimensions, used_at: now };
  await tx.insertMany(keepModel, [{ ...row, caught_up_at: isLast ? now : 0 }]);
}
