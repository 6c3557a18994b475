import type { Query } from '../../db/index.ts';
import { branchOf, type EntryView, isInScope } from '../../kernel/index.ts';
import { evidenceStatus, findStoodFacts, isLive, type StoodFacts, standingOf } from '../entries/index.ts';
import type { CitedEntry } from './rules/cited.ts';

/** Rows that another thread hands over at once: that takes some milliseconds. */
const AT_ONCE = 1_000;

/** Finds entries by number, as far as everybody in the view's scope may see them: digests have nothing private. */
export async function findCited(
  query: Query,
  view: EntryView,
  ids: Iterable<number>,
): Promise<Map<number, CitedEntry>> {
  const isShown = (row: StoodFacts | undefined): row is StoodFacts =>
    row !== undefined &&
    row.shared === 1 &&
    row.branch === branchOf(view) &&
    isLive(row, view.at) &&
    isInScope(view.scope, row.entity_path);
  const all = [...new Set(ids)];
  const cited = new Map<number, CitedEntry>();
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const rows = await findStoodFacts(query, view.account_id, all.slice(from, from + AT_ONCE));
    for (const row of rows) if (isShown(row)) cited.set(row.entry_id, toCited(row));
  }
  return cited;
}

function toCited(row: StoodFacts): CitedEntry {
  const { entry_id, entity_path, key, version, seq, agent_id, memory_type } = row;
  const { confidence, recall_count, written_at, pattern_refs } = row;
  const standing = standingOf(row);
  const { success_count, failure_count, last_outcome_at } = standing;
  const status = evidenceStatus(standing, confidence);
  const named = { entry_id, entity_path, key, version, seq, agent_id, memory_type };
  const facts = { confidence, recall_count, written_at, pattern_refs, status };
  // Members after a spread would be slow (decision 058).
  return Object.assign(named, facts, { success_count, failure_count, last_outcome_at });
}
