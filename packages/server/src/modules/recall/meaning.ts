import type { Glob } from '@mem-service/contract';
import type { Sql } from '../../db/index.ts';
import { type ReadContext, readAccount, readCursor } from '../../kernel/index.ts';
import { findDocuments } from '../entries/index.ts';
import type { FoundRow } from '../search/index.ts';
import type { RecallEntries } from './candidates.ts';
import type { EmbedderThread } from './embedder-thread.ts';
import { CONSUMER, EMBEDDER_NUMBER } from './follow-log.ts';
import * as queries from './queries.ts';
import { nearestClusters } from './rules/clusters.ts';
import type { EncodedQuestion } from './thread-tasks.ts';
import { ownerNumber } from './vector-names.ts';

/** As many entries are compared one by one. */
const FEW = 2_000;
/** Beyond this many entries only the nearest clusters are read. */
const MANY = 30_000;
const PROBED_CLUSTERS = 20;
/** Vectors that the first pass compares at most. */
const MAX_CODES = 400_000;
/** Entries that the first pass leaves to the second. */
const FIRST_PASS = 500;
/** Entries that the second pass leaves to be weighed with words. */
export const NEAREST = 120;
/** Entries written since the index was brought up to date that are embedded on the way. */
const MAX_TAIL = 200;
const MAX_BEHIND = 1_000;
const MAX_TAIL_EVENTS = 5_000;

export type MeaningSearch = {
  context: ReadContext;
  thread: EmbedderThread;
  question: EncodedQuestion;
  paths: readonly Glob[] | undefined;
  filters: readonly Sql[];
  /** How many entries the caller may see. */
  shown: number;
  /** Loads those of the entries with some `seq` that pass the filters. */
  fetch(seqs: readonly number[]): Promise<FoundRow[]>;
};

export const vectorScope = ({ view }: ReadContext): queries.VectorScope => ({
  view,
  embedder: EMBEDDER_NUMBER,
  owner: ownerNumber(view.agent_id),
});

/** Adds the entries nearest to a question. Returns how many have no vector yet and were not compared. */
export async function addNearest(search: MeaningSearch, entries: RecallEntries): Promise<number> {
  const [near, tail] = await Promise.all([nearestOf(search), tailOf(search)]);
  const cosines = new Map([...near, ...tail.cosines]);
  await entries.add(
    entries.all.map(({ row }) => row),
    ({ seq }) => cosines.get(seq),
  );
  const ranked = [...cosines].sort(([, a], [, b]) => b - a).map(([seq]) => seq);
  // Filters may drop some of the nearest.
  for (let from = 0, found = 0; from < ranked.length && found < NEAREST; from += NEAREST) {
    const rows = await search.fetch(ranked.slice(from, from + NEAREST));
    found += rows.length;
    await entries.add(rows, ({ seq }) => cosines.get(seq));
  }
  await compareOthers(search, entries);
  return tail.behind;
}

/** Entries that were found by their words and are not among the nearest. */
async function compareOthers(search: MeaningSearch, entries: RecallEntries): Promise<void> {
  const others = entries.all.filter(({ cosine }) => cosine === undefined).map(({ row }) => row);
  const cosines = await cosinesOf(search, others);
  await entries.add(others, ({ seq }) => cosines.get(seq));
}

/** Cosines by `seq`; those of entries that were written since their vectors were made are left out by `fetch`. */
export async function cosinesOf(
  { context, thread, question }: Pick<MeaningSearch, 'context' | 'thread' | 'question'>,
  entries: readonly { entry_id: number }[],
): Promise<Map<number, number>> {
  if (entries.length === 0) return new Map();
  const { read, scan } = context;
  const ids = entries.map(({ entry_id }) => entry_id);
  const stored = await queries.listVectors(ids.length > 200 ? scan : read, vectorScope(context), ids);
  const compared = await thread.run('compare', { vectors: stored.map(({ vector }) => vector), question });
  const cosines = new Map<number, number>();
  stored.forEach(({ seq }, at) => {
    cosines.set(seq, Math.max(cosines.get(seq) ?? -1, compared[at] as number));
  });
  return cosines;
}

async function nearestOf(search: MeaningSearch): Promise<Map<number, number>> {
  const { context, thread, question, paths, filters, shown } = search;
  const { scan, view } = context;
  if (paths !== undefined || view.scope !== undefined || shown <= FEW) {
    const few = await queries.listFew(scan, view, { paths, filters, most: FEW + 1 });
    if (few.length <= FEW)
      return cosinesOf(
        search,
        few.filter(({ passes }) => passes === 1),
      );
  }
  const clusters = shown > MANY ? nearestClusters(question, PROBED_CLUSTERS) : undefined;
  const codes = await queries.readCodes(scan, vectorScope(context), { clusters, most: MAX_CODES });
  const nearest = await thread.run('nearest', { codes, question, most: FIRST_PASS });
  return cosinesOf(
    search,
    nearest.map((entry_id) => ({ entry_id })),
  );
}

/** What was written since the index was brought up to date: some of it is embedded now. */
async function tailOf(search: MeaningSearch): Promise<{ cosines: Map<number, number>; behind: number }> {
  const { context, thread, question, paths, filters } = search;
  const { read, view } = context;
  const { account_id } = view;
  const [cursor, account] = await Promise.all([
    readCursor(read, { account_id, consumer: CONSUMER }),
    readAccount(read, account_id),
  ]);
  const after = cursor?.seq ?? 0;
  const end = account?.seq ?? 0;
  const tail = { paths, filters, after, until: after + MAX_TAIL_EVENTS, most: MAX_BEHIND };
  const written = after >= end ? [] : await queries.listAfter(read, view, tail);
  const embedded = written.slice(-MAX_TAIL);
  const documents = await findDocuments(read, account_id, embedded);
  const known = embedded.flatMap((entry, at) => {
    const document = documents[at];
    return document === undefined ? [] : [{ ...entry, document }];
  });
  const compared =
    known.length === 0
      ? []
      : await thread.run('compareDocuments', { documents: known.map(({ document }) => document), question });
  const cosines = new Map<number, number>();
  known.forEach(({ seq }, at) => {
    const cosine = compared[at];
    if (typeof cosine === 'number') cosines.set(seq, cosine);
  });
  const isFar = end - after > MAX_TAIL_EVENTS;
  return { cosines, behind: isFar ? MAX_BEHIND : written.length - embedded.length };
}
