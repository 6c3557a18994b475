import type { Query } from '../../db/index.ts';
import type { EntryView, Services } from '../../kernel/index.ts';
import { embedderOf } from './embedder-thread.ts';
import { EMBEDDER_NUMBER } from './follow-log.ts';
import * as queries from './queries.ts';
import type { EmbeddedPart } from './stored-part.ts';
import { ownerNumber } from './vector-names.ts';

/** Blocks of vectors that entries are compared with at most, of so many clusters at once: all may have many megabytes. */
const MAX_BLOCKS = 5_000;
const CLUSTERS_AT_ONCE = 16;
const VECTORS_AT_ONCE = 2_000;

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
  const thread = embedderOf(services);
  if (!thread) return undefined;
  const { query, view, texts, least, most } = search;
  const singles = singleParts(await thread.run('embed', { texts }));
  if (singles.length === 0) return new Map();
  const scope = { view, embedder: EMBEDDER_NUMBER, owner: ownerNumber(view.agent_id) };
  const vectors = singles.map(({ vector }) => vector);
  const near = await nearestIn({ thread, query, scope, most }, vectors);
  const isOwn = new Set(singles.map(({ entry_id }) => entry_id));
  const ids = [...new Set(near.flat())].filter((id) => !isOwn.has(id));
  const stored = singleParts(await loadVectors(query, scope, ids));
  const seqs = new Map(texts.map(({ entry_id, seq }) => [entry_id, seq]));
  const own = singles.map(({ entry_id }) => ({ entry_id, seq: seqs.get(entry_id) as number }));
  const places = new Map(stored.map(({ entry_id }, at) => [entry_id, at]));
  const among = near.map((found) => found.flatMap((id) => places.get(id) ?? []));
  const others = stored.map(({ vector }) => vector);
  const alike = await thread.run('alike', { vectors, others, among, least, most });
  const known: Omit<LikeEntry, 'cosine'>[] = [...own, ...stored];
  return new Map(
    own.map(({ entry_id }, at) => [
      entry_id,
      (alike[at] ?? []).flatMap(({ place, cosine }) => {
        const one = known[place];
        return one ? [{ entry_id: one.entry_id, seq: one.seq, cosine }] : [];
      }),
    ]),
  );
}

type IndexSearch = {
  thread: NonNullable<ReturnType<typeof embedderOf>>;
  query: Query;
  scope: queries.VectorScope;
  most: number;
};

/** For each vector the entries of the index that may be near to it, `most` of each part of the index. */
async function nearestIn({ thread, query, scope, most }: IndexSearch, vectors: readonly string[]): Promise<number[][]> {
  const probed = await thread.run('clustersOf', { vectors });
  const all = [...new Set(probed.flat())].sort((a, b) => a - b);
  const near: number[][] = vectors.map(() => []);
  for (let from = 0; from < all.length; from += CLUSTERS_AT_ONCE) {
    const part = new Set(all.slice(from, from + CLUSTERS_AT_ONCE));
    const blocks = await queries.listBlocks(query, scope, { clusters: [...part], most: MAX_BLOCKS });
    const clusters = probed.map((list) => list.filter((cluster) => part.has(cluster)));
    const found = await thread.run('fitting', { blocks, vectors, clusters, most });
    for (const [at, ids] of found.entries()) near[at]?.push(...ids);
  }
  return near;
}

async function loadVectors(query: Query, scope: queries.VectorScope, ids: readonly number[]) {
  const loaded: Awaited<ReturnType<typeof queries.listVectors>> = [];
  for (let from = 0; from < ids.length; from += VECTORS_AT_ONCE)
    loaded.push(...(await queries.listVectors(query, scope, ids.slice(from, from + VECTORS_AT_ONCE))));
  return loaded;
}

/** Of entries with one vector each. */
function singleParts<T extends Pick<EmbeddedPart, 'entry_id'>>(parts: readonly T[]): T[] {
  const counts = new Map<number, number>();
  for (const { entry_id } of parts) counts.set(entry_id, (counts.get(entry_id) ?? 0) + 1);
  return parts.filter(({ entry_id }) => counts.get(entry_id) === 1);
}
