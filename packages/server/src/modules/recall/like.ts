import type { Query } from '../../db/index.ts';
import type { EntryView, Services } from '../../kernel/index.ts';
import { embedderOf } from './embedder-thread.ts';
import { EMBEDDER_NUMBER } from './follow-log.ts';
import * as queries from './queries.ts';
import type { EmbeddedPart } from './stored-part.ts';
import { ownerNumber } from './vector-names.ts';

/** Blocks of vectors that entries are compared with at most. */
const MAX_BLOCKS = 5_000;

export type ComparedText = { entry_id: number; seq: number; document: string };
/** An entry as it was when its `seq` was the newest. */
export type LikeEntry = { entry_id: number; seq: number; cosine: number };
export type LikeSearch = {
  query: Query;
  view: EntryView;
  texts: readonly ComparedText[];
  /** The lowest cosine, and the most entries of the index for each text; the texts themselves are compared beside. */
  least: number;
  most: number;
};

/**
 * Entries that say nearly the same as each of some entries, nearest first, of those that the agent of the view may compare: its
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
  const clusters = await thread.run('clustersOf', { vectors });
  const all = [...new Set(clusters.flat())];
  const blocks = await queries.listBlocks(query, scope, { clusters: all, most: MAX_BLOCKS });
  const near = await thread.run('alike', { blocks, vectors, clusters, most });
  const stored = singleParts(await queries.listVectors(query, scope, [...new Set(near.flat())]));
  const seqs = new Map(texts.map(({ entry_id, seq }) => [entry_id, seq]));
  const own = singles.map(({ entry_id, vector }) => ({ entry_id, seq: seqs.get(entry_id) as number, vector }));
  const known = new Map([...stored, ...own].map((one) => [one.entry_id, one]));
  const others = near.map((ids) => {
    const all = new Set([...ids, ...own.map(({ entry_id }) => entry_id)]);
    return [...all].flatMap((id) => known.get(id) ?? []);
  });
  const among = others.map((list) => list.map(({ vector }) => vector));
  const cosines = await thread.run('cosines', { vectors, among });
  return new Map(
    singles.map(({ entry_id }, at) => {
      const compared = (others[at] ?? []).map((one, i) => ({ ...one, cosine: cosines[at]?.[i] ?? 0 }));
      const like = compared.filter((one) => one.entry_id !== entry_id && one.cosine >= least);
      like.sort((a, b) => b.cosine - a.cosine || a.entry_id - b.entry_id);
      return [entry_id, like.map(({ entry_id, seq, cosine }) => ({ entry_id, seq, cosine }))];
    }),
  );
}

/** Of entries with one vector each. */
function singleParts<T extends Pick<EmbeddedPart, 'entry_id'>>(parts: readonly T[]): T[] {
  const counts = new Map<number, number>();
  for (const { entry_id } of parts) counts.set(entry_id, (counts.get(entry_id) ?? 0) + 1);
  return parts.filter(({ entry_id }) => counts.get(entry_id) === 1);
}
