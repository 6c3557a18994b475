import type { ComparedTexts } from './conflict.ts';
import { findingAt, type PatternFinding } from './finding.ts';
import type { LookedEntry, PathFacts } from './path-facts.ts';
import { type Contradicts, isNumberedApart, type SimilarPair } from './similar.ts';

const MANY = 5;

/** Entries of one path that say the same, by their words and numbers, in steps. What happened twice may be written twice. */
export function* redundantWrites(
  path: PathFacts,
  { pairs, contradicts }: ComparedTexts,
): Generator<void, PatternFinding | undefined> {
  const same: SimilarPair[] = [];
  for (const pair of pairs) {
    if (isRedundant(pair, contradicts)) same.push(pair);
    yield;
  }
  if (same.length === 0) return undefined;
  const groups = groupsOf(same);
  const entries = groups.flatMap((same, i) =>
    same.map(({ entry_id, version, agent_id, seq }) => ({ entry_id, version, agent_id, seq, group: i + 1 })),
  );
  const superfluous = entries.length - groups.length;
  return findingAt({
    pattern_type: 'redundant_writes',
    severity: superfluous >= MANY ? 'warning' : 'info',
    weight: superfluous,
    entity_path: path.entity_path,
    evidence_seq: Math.max(...entries.map(({ seq }) => seq)),
    figures: { groups: groups.length, entries: entries.length, superfluous },
    entries,
  });
}

function isRedundant({ one, other }: SimilarPair, contradicts: Contradicts): boolean {
  if (one.memory_type === 'experience' || other.memory_type === 'experience') return false;
  if (one.content_hash === other.content_hash) return true;
  return !isNumberedApart(one, other) && !contradicts(one.text ?? '', other.text ?? '');
}

/** The largest group first. */
function groupsOf(pairs: readonly SimilarPair[]): LookedEntry[][] {
  const groupOf = new Map<LookedEntry, Set<LookedEntry>>();
  for (const { one, other } of pairs) {
    const [a, b] = [groupOf.get(one) ?? new Set([one]), groupOf.get(other) ?? new Set([other])];
    // The smaller group joins the larger one, so that large ones are not gone through for each pair.
    const [joined, joining] = a.size < b.size ? [b, a] : [a, b];
    for (const entry of joining) joined.add(entry);
    for (const entry of [one, other, ...joining]) groupOf.set(entry, joined);
  }
  const groups = [...new Set(groupOf.values())].map((group) => [...group]);
  return groups.sort((a, b) => b.length - a.length);
}
