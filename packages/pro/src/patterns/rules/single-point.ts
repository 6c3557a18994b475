import { findingAt, type PatternFinding, rounded } from './finding.ts';
import type { PathFacts } from './path-facts.ts';

const LEAST_ENTRIES = 5;
const LEAST_SHARE = 0.9;
const LEAST_READERS = 2;
const MUCH = 20;

/** The agent that wrote nine tenths of a path with five entries or more. */
export function onlyAuthor({ authors, count }: PathFacts): string | undefined {
  if (count < LEAST_ENTRIES) return undefined;
  const [most] = [...authors].sort(([, n], [, m]) => m - n);
  return most && most[1] / count >= LEAST_SHARE ? most[0] : undefined;
}

/** What one agent knows and at least two others read: it would be missed. */
export function singlePoint(path: PathFacts, author: string, readers: readonly string[]): PatternFinding | undefined {
  const others = readers.filter((reader) => reader !== author);
  if (others.length < LEAST_READERS) return undefined;
  const share = (path.authors.get(author) ?? 0) / path.count;
  return findingAt({
    pattern_type: 'single_point_of_knowledge',
    severity: path.count >= MUCH ? 'warning' : 'info',
    weight: path.count,
    entity_path: path.entity_path,
    // Comes back when all of what it was about has been written again, by one agent still.
    evidence_seq: path.oldest_seq,
    figures: { entries: path.count, share: rounded(share), readers: others.length },
    entries: path.entries
      .filter(({ agent_id }) => agent_id === author)
      .toSorted((a, b) => b.recall_count - a.recall_count || a.entry_id - b.entry_id),
    agents: [author, ...others],
  });
}
