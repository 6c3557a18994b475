import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Query } from '../../db/index.ts';
import { type EntryView, startWithin } from '../../kernel/index.ts';
import { findDocuments } from '../entries/index.ts';
import { type CountedText, countTerms, rankTexts, type Term, wordsOfDocument } from '../text/index.ts';
import { listNewestKeys, type SearchCandidates, type SizedKey } from './queries.ts';
import type { SearchHit } from './text-search.ts';

/** Ends at `scan` entries, or after `bytes` of documents. */
type ScanSearch = SearchCandidates & { terms: readonly Term[]; scan: number; bytes: number };

/** Besides the hits: in how many of the texts each term is, and how many there are. */
export type ScannedHits = { hits: SearchHit[]; truncated: boolean; counts: number[]; scanned: number };

/** Documents loaded at once. */
const PAGE_ROWS = 200;
const CHUNK_BYTES = 1024 * 1024;

const sizeOf = ({ document_bytes }: SizedKey): number => document_bytes;

/** Documents whose words are counted before other requests get a turn. */
const TURN_BYTES = 32 * 1024;

/**
 * Finds entries by their words without the index, which covers only the newest state of a branch: scans the newest entries
 * of the view, up to the limits of a search. Best first, without documents.
 */
export async function findByScan(
  query: Query,
  view: EntryView,
  { terms, scan, bytes, ...candidates }: ScanSearch,
): Promise<ScannedHits> {
  const keys = await listNewestKeys(query, view, { ...candidates, limit: scan + 1 });
  const looked = startWithin(keys.slice(0, scan), bytes, sizeOf);
  const rows: SizedKey[] = [];
  const texts: CountedText[] = [];
  for (let from = 0; from < looked.length; ) {
    const page = startWithin(looked.slice(from, from + PAGE_ROWS), CHUNK_BYTES, sizeOf);
    const documents = await findDocuments(query, view.account_id, page);
    let turn = 0;
    for (const [i, row] of page.entries()) {
      const document = documents[i];
      if (document === undefined) continue;
      rows.push(row);
      texts.push(countTerms(await wordsOfDocument(document), terms));
      turn += row.document_bytes;
      if (turn < TURN_BYTES) continue;
      turn = 0;
      await nextTurn();
    }
    from += page.length;
    await nextTurn();
  }
  const scores = rankTexts(texts);
  const hits = rows.map((row, i) => ({ row, score: scores[i] as number }));
  return {
    hits: hits.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || b.row.seq - a.row.seq),
    truncated: looked.length < keys.length,
    counts: terms.map((_, term) => texts.filter(({ counts }) => (counts[term] ?? 0) > 0).length),
    scanned: texts.length,
  };
}
