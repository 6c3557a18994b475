import type { Transaction } from '../../db/index.ts';
import { type Consumer, erasedTables, type MaintenanceTask, type Services } from '../../kernel/index.ts';
import { mergeWords } from '../text/index.ts';
import * as queries from './queries.ts';

/** The size of a step: small enough that other writes do not wait long. */
const PAGES_PER_STEP = 250;

/** Writes wait while the file is rewritten: some seconds for one of this size, minutes for a much larger one. */
const MAX_REWRITTEN_BYTES = 2 ** 30;

/** A smaller file is rewritten in about a second, which the end of a process can wait for. */
const MAX_REWRITTEN_AT_END = 64 * 1024 * 1024;

/** Makes PostgreSQL free the erased rows after an erasure. */
export const freeErasedRows: Consumer = {
  name: 'erasure.free_rows',
  event_types: ['erase'],
  starts_at: 'now',
  only_on: 'postgres',
  handle: ({ kernel }) => freeRows(kernel.services),
};

/** Not after each erasure, so that one rewrite of the file serves many. */
export const compactErased: MaintenanceTask = {
  name: 'erasure.compact_file',
  only_on: 'sqlite',
  run: ({ services }, isStopping) => compactFile(services, isStopping),
  finish: { event_types: ['erase'], run: ({ services }) => finishErasures(services) },
};

const waiting = new WeakMap<Services['database'], Promise<void>>();
const running = new WeakMap<Services['database'], Promise<void>>();

/** It frees the rows of all accounts, so all requests made before it begins share one run. */
function freeRows({ database, tables }: Services): Promise<void> {
  const known = waiting.get(database);
  if (known !== undefined) return known;
  const run = async () => {
    await running.get(database)?.catch(() => {});
    waiting.delete(database);
    const freeing = (async () => {
      for (const { table } of erasedTables(tables)) await database.maintain(queries.freeRows(table));
    })();
    running.set(database, freeing);
    await freeing;
  };
  const next = run();
  waiting.set(database, next);
  return next;
}

/**
 * SQLite overwrites what it frees (`secure_delete`), but words of erased entries stay in old segments of the index, and
 * copies of moved rows stay in unused parts of pages. Rewriting both removes them. If a process ends early, the next one
 * continues.
 */
async function compactFile(services: Services, isStopping: () => boolean): Promise<void> {
  const { database } = services;
  const count = await database.transaction(queries.countUncompacted);
  if (count === 0) return;
  await rewriteIndexes(services, isStopping);
  for (const { compact } of services.projections) if (compact && !(await compact(services))) return;
  if (isStopping()) return;
  if ((await queries.fileSize(database.scan)) <= MAX_REWRITTEN_BYTES) await database.maintain(queries.rewriteFile);
  await database.maintain(queries.emptyWal);
  await database.transaction(async (tx) => {
    if ((await queries.countUncompacted(tx)) === count) await queries.setUncompacted(tx, 0);
  });
}

/** What is left of a large file is done by the next process; its log, which holds whole texts, is emptied at once. */
async function finishErasures(services: Services): Promise<void> {
  const { database } = services;
  if ((await queries.fileSize(database.scan)) <= MAX_REWRITTEN_AT_END) await compactFile(services, () => false);
  else await database.maintain(queries.emptyWal);
}

/** On SQLite, marks that freed rows wait for compaction. */
export async function markUncompacted(tx: Transaction): Promise<void> {
  await queries.setUncompacted(tx, (await queries.countUncompacted(tx)) + 1);
}

async function rewriteIndexes({ database, wordIndexes }: Services, isStopping: () => boolean): Promise<void> {
  for (const { table } of wordIndexes.filter(({ apart }) => !apart)) {
    const step = (pages: number) => database.transaction((tx) => mergeWords(tx, table, pages));
    // A negative number starts a merge of all segments; the following steps continue it.
    let more = await step(-PAGES_PER_STEP);
    while (more && !isStopping()) more = await step(PAGES_PER_STEP);
  }
}
