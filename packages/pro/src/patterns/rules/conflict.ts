import { findingAt, type PatternFinding } from './finding.ts';
import { DAY_MS, type LookedEntry, type PathFacts, RECENT_DAYS, type ScanTerms } from './path-facts.ts';
import { type Contradicts, isNumberedApart, type SimilarPair, sharedKeyWords } from './similar.ts';

/** Texts with so many words in common speak of the same, whatever their keys are. */
const LEAST_SHARED_WORDS = 6;
const LEAST_KEY_WORDS = 0.5;
/** How often a value has to come back until agents seem to undo each other's writes. */
const LEAST_RETURNS = 2;
/** So many entries of one family are compared with all others of it. */
const MAX_IN_FAMILY = 20;

type FoundConflict = {
  entries: readonly LookedEntry[];
  seq: number;
  agents: readonly string[];
  areBothProven: boolean;
};

export type ComparedTexts = { pairs: readonly SimilarPair[]; contradicts: Contradicts };

/**
 * Two agents state different things: under keys that are written differently, in texts that speak of the same, or under one key
 * that each sets back to its own value. An agent that corrects itself, or once another one, is in no conflict. In steps: there may
 * be many long texts.
 */
export function* knowledgeConflict(
  path: PathFacts,
  { at }: ScanTerms,
  { pairs, contradicts }: ComparedTexts,
): Generator<void, PatternFinding | undefined> {
  const since = at - RECENT_DAYS * DAY_MS;
  const between = [...pairsOfFamilies(path.entries), ...pairs.filter(isSameSubject)];
  const conflicts: FoundConflict[] = [];
  for (const { one, other } of between) {
    const found = conflictOf(one, other, contradicts);
    if (found) conflicts.push(found);
    yield;
  }
  for (const entry of path.entries) {
    const found = undoneWrites(entry, since);
    if (found) conflicts.push(found);
    yield;
  }
  if (conflicts.length === 0) return undefined;
  const entries = [...new Set(conflicts.flatMap((one) => one.entries))];
  return findingAt({
    pattern_type: 'knowledge_conflict',
    severity: conflicts.some(({ areBothProven }) => areBothProven) ? 'critical' : 'warning',
    weight: conflicts.length,
    entity_path: path.entity_path,
    evidence_seq: Math.max(...conflicts.map(({ seq }) => seq)),
    figures: { conflicts: conflicts.length, entries: entries.length },
    entries,
    agents: conflicts.flatMap(({ agents }) => agents),
  });
}

const isSameSubject = ({ one, other, shared }: SimilarPair): boolean =>
  !isNumberedApart(one, other) && (shared >= LEAST_SHARED_WORDS || sharedKeyWords(one, other) >= LEAST_KEY_WORDS);

/** Keys that only differ in how they are written: `timeoutMs` and `timeout_ms`. */
function pairsOfFamilies(entries: readonly LookedEntry[]): { one: LookedEntry; other: LookedEntry }[] {
  const families = new Map<string, LookedEntry[]>();
  const stated = entries.filter((entry) => entry.family !== '' && isStatement(entry));
  return stated.flatMap((other) => {
    const known = families.get(other.family) ?? [];
    families.set(other.family, known);
    const pairs = known.map((one) => ({ one, other }));
    if (known.length < MAX_IN_FAMILY) known.push(other);
    return pairs;
  });
}

/** What an agent went through contradicts nobody, nor does what outcomes have refuted. */
const isStatement = ({ memory_type, evidence_status }: LookedEntry): boolean =>
  memory_type !== 'experience' && evidence_status !== 'discredited';

function conflictOf(one: LookedEntry, other: LookedEntry, contradicts: Contradicts): FoundConflict | undefined {
  if (one.agent_id === other.agent_id || one.content_hash === other.content_hash) return undefined;
  if (!isStatement(one) || !isStatement(other)) return undefined;
  if (one.text === undefined || other.text === undefined || !contradicts(one.text, other.text)) return undefined;
  const areBothProven = [one, other].every(({ evidence_status }) => evidence_status === 'validated');
  return {
    entries: [one, other],
    seq: Math.max(one.seq, other.seq),
    agents: [one.agent_id, other.agent_id],
    areBothProven,
  };
}

/** Where a value that another agent replaced comes back at least twice. */
function undoneWrites(entry: LookedEntry, since: number): FoundConflict | undefined {
  const recent = entry.versions.filter(({ written_at }) => written_at >= since).toReversed();
  const agents = new Set<string>();
  const returns = recent.filter((version, i) => {
    const before = recent[i - 1];
    const isReturn =
      before !== undefined &&
      before.content_hash !== version.content_hash &&
      before.agent_id !== version.agent_id &&
      recent.slice(0, i - 1).some(({ content_hash }) => content_hash === version.content_hash);
    if (isReturn) for (const { agent_id } of [before, version]) agents.add(agent_id);
    return isReturn;
  });
  if (returns.length < LEAST_RETURNS) return undefined;
  return { entries: [entry], seq: entry.seq, agents: [...agents], areBothProven: false };
}
