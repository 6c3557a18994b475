import type { Query } from '../../db/index.ts';
import type { EntryView } from '../../kernel/index.ts';
import { rankTexts, type Term, wordsOfEntry } from '../text/index.ts';
import { listNewest, type SearchCandidates } from './queries.ts';
import type { SearchHit } from './text-search.ts';

type ScanSearch = SearchCandidates & { terms: readonly Term[]; scan: number };

/**
 * Finds entries by their words without the index, which covers only the newest state of a branch: scans the newest entries
 * of the view, up to the limit of a search. Best first.
 */
export async function findByScan(
  query: Query,
  view: EntryView,
  { terms, scan, ...candidates }: ScanSearch,
): Promise<{ hits: SearchHit[]; truncated: boolean }> {
  const rows = await listNewest(query, view, { ...candidates, limit: scan + 1 });
  const looked = rows.slice(0, scan);
  const scores = rankTexts(
    looked.map(({ document }) => wordsOfEntry(JSON.parse(document))),
    terms,
  );
  const hits = looked.map((row, i): SearchHit & { score: number } => ({ row, score: scores[i] as number }));
  return {
    hits: hits.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || b.row.seq - a.row.seq),
    truncated: rows.length > scan,
  };
}
