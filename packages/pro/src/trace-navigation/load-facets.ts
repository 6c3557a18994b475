import type { TraceFacets } from './document-builder.ts';
import { type DocumentSource, readDocumentsWithin } from './documents.ts';
import { listIndexed } from './queries.ts';

/** Traces that the index does not have yet: so many are read instead, up to so many megabytes. */
const MAX_UNINDEXED = 100;
const MAX_UNINDEXED_PAGES = 4;

/** With what the trace cost, where every call of it has a price. */
type FacetsAndCost = TraceFacets & { cost_usd: number | null };

/** What the index has of some traces, by number; those that it does not have are read, or left out where they are many. */
export async function loadFacets(
  source: DocumentSource,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, FacetsAndCost>> {
  const { query, dialect, account_id } = source;
  if (seqs.length === 0) return new Map();
  const rows = await listIndexed(query, account_id, dialect.numbers(seqs));
  const facets = new Map(
    rows.map(({ seq, facts, cost_usd }) => [seq, { ...(JSON.parse(facts) as TraceFacets), cost_usd }]),
  );
  const missing = seqs.filter((seq) => !facets.has(seq)).slice(0, MAX_UNINDEXED);
  if (missing.length === 0) return facets;
  const { documents } = await readDocumentsWithin(source, missing, MAX_UNINDEXED_PAGES);
  for (const { row, document } of documents) facets.set(row.seq, { ...document.facts, cost_usd: document.cost_usd });
  return facets;
}
