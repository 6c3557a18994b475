import { pause } from '@mem-service/server/module';
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
  const found = new Map<number, FacetsAndCost>();
  for (const { seq, facts, cost_usd } of rows) {
    found.set(seq, { ...(JSON.parse(facts) as TraceFacets), cost_usd });
    await pause();
  }
  const missing = seqs.filter((seq) => !found.has(seq)).slice(0, MAX_UNINDEXED);
  if (missing.length === 0) return found;
  const { documents } = await readDocumentsWithin(source, missing, MAX_UNINDEXED_PAGES);
  for (const { row, document } of documents) found.set(row.seq, { ...document.facts, cost_usd: document.cost_usd });
  return found;
}
