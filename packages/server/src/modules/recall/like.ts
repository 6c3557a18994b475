import type { Query } from '../../db/index.ts';
import { type EntryView, readCursor, type Services } from '../../kernel/index.ts';
import { type EmbedderThread, embedderOf } from './embedder-thread.ts';
import { CONSUMER, EMBEDDER_NUMBER } from './follow-log.ts';
import * as queries from './queries.ts';
import { readClusters } from './read-clusters.ts';
import type { EmbeddedPart } from './stored-part.ts';
import type { BitsOfCluster } from './thread-tasks.ts';
import { ownerNumber } from './vector-names.ts';

/** Texts that are compared at once: others wait meanwhile. */
const TEXTS_AT_ONCE = 10;
/** Bits leave so many times the entries that are wanted to be compared by their vectors. */
const FITTING = 4;

export type ComparedText = { entry_id: number; seq: number; document: string };
/** An entry as it was when its `seq` was the newest. */
export type LikeEntry = { entry_id: number; seq: number; cosine: number };
export type LikeSearch = {
  query: Query;
  view: EntryView;
  texts: readonly ComparedText[];
  /** The lowest cosine, and the most entries for each text, of the texts themselves and of all others. */
  least: number;
  most: number;
};

/**
 * Entries that say nearly the same as each of some entries, of those that the agent of the view may compare: its
 * own private ones and shared ones. Scope and liveness are left to the caller. Long texts, which have several vectors, are like
 * nothing. Undefined where the service has no embedder.
 */
export async function findLike(services: Services, search: LikeSearch): Promise<Map<number, LikeEntry[]> | undefined> {
  const { query, view, texts } = search;
  const thread = embedderOf(services, { account_id: view.account_id, isQuestion: false });
  if (!thread) return undefined;
  const seqs = new Map(texts.map(({ entry_id, seq }) => [entry_id, seq]));
  const own = singleParts(await thread.embed(texts)).map((part) => ({
    ...part,
    seq: seqs.get(part.entry_id) as number,
  }));
  const scope = { view, embedder: EMBEDDER_NUMBER, owner: ownerNumber(view.agent_id) };
  const cursor = await readCursor(query, { account_id: view.account_id, consumer: CONSUMER });
  const index = { owners: await queries.readSums(query, scope), indexed: cursor?.seq ?? 0 };
  const like = new Map<number, LikeEntry[]>();
  for (let from = 0; from < own.length; from += TEXTS_AT_ONCE) {
    const vectors = own.slice(from, from + TEXTS_AT_ONCE).map(({ vector }) => vector);
    const near = await nearestIn({ services, search, thread, ...index }, vectors);
    const found = await compareSome({ search, thread, scope, own }, { from, near });
    for (const [at, entries] of found.entries()) like.set((own[from + at] as OwnPart).entry_id, entries);
  }
  return like;
}

type OwnPart = { entry_id: number; seq: number; vector: string };
type IndexSearch = {
  services: Services;
  search: LikeSearch;
  thread: EmbedderThread;
  owners: readonly queries.OwnerSums[];
  /** How far the log was followed. */
  indexed: number;
};

/** For each vector the entries of the index that may be near to it. */
async function nearestIn(
  { services, search: { query: scan, view, most }, thread, owners, indexed }: IndexSearch,
  vectors: readonly string[],
): Promise<number[][]> {
  const probed = await thread.run('clustersOf', { vectors });
  const clusters = [...new Set(probed.flat())].sort((a, b) => a - b);
  const of = { embedder: EMBEDDER_NUMBER, indexed, clusters };
  const blocks: BitsOfCluster[] = [];
  for (const owner of owners)
    for (const [cluster, records] of await readClusters({ view, scan, services }, owner, of))
      blocks.push({ cluster, records });
  return thread.run('fitting', { blocks, vectors, clusters: probed, most: FITTING * most });
}

type Compared = { search: LikeSearch; thread: EmbedderThread; scope: queries.VectorScope; own: readonly OwnPart[] };

/** Of some of the own entries, those that are like each. */
async function compareSome(
  { search: { query, least, most }, thread, scope, own }: Compared,
  { from, near }: { from: number; near: number[][] },
): Promise<LikeEntry[][]> {
  const isOwn = new Set(own.map(({ entry_id }) => entry_id));
  const ids = [...new Set(near.flat())].filter((id) => !isOwn.has(id));
  const stored = singleParts(await queries.listVectors(query, scope, ids));
  const known = [...own, ...stored];
  const places = new Map(stored.map(({ entry_id }, at) => [entry_id, own.length + at]));
  const among = near.map((found) => found.flatMap((id) => places.get(id) ?? []));
  const alike = await thread.run('alike', {
    ...{ from, among, least, most },
    own: own.map(({ vector }) => vector),
    others: stored.map(({ vector }) => vector),
  });
  return alike.map((found) =>
    found.flatMap(({ place, cosine }) => {
      const one = known[place];
      return one ? [{ entry_id: one.entry_id, seq: one.seq, cosine }] : [];
    }),
  );
}

/** Of entries with one vector each. */
function singleParts<T extends Pick<EmbeddedPart, 'entry_id'>>(parts: readonly T[]): T[] {
  const counts = new Map<number, number>();
  for (const { entry_id } of parts) counts.set(entry_id, (counts.get(entry_id) ?? 0) + 1);
  return parts.filter(({ entry_id }) => counts.get(entry_id) === 1);
}
