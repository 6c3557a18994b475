import { bestFirst, type ComparedEntry, meritOver, type Strategy } from './findings.ts';

/** Two entries that belong together. */
export type EntryPair = { one: ComparedEntry; other: ComparedEntry; strategy: Strategy; cosine: number };

export type DemotionReason = 'exact_duplicate' | 'belief_overtaken' | 'stale';
/** `kept`: the entry that the reason names; undefined where it names none. */
export type PlannedDemotion = {
  entry: ComparedEntry;
  kept: Pick<ComparedEntry, 'entity_path' | 'key'> | undefined;
  reason: DemotionReason;
  why: string;
};

/** One entry in place of several: the first of `sources` is kept. */
export type PlannedProposal = { strategy: Strategy; sources: readonly ComparedEntry[]; rationale: string };

export type ConsolidationPlan = { demotions: PlannedDemotion[]; proposals: PlannedProposal[] };

const MAX_SOURCES = 20;
export const DEMOTION_FACTOR = 0.5;

/** Nothing that an outcome or an earlier run has touched is demoted without being asked. */
const isHarmless = ({ is_touched }: ComparedEntry): boolean => !is_touched;

export function planConsolidation(pairs: readonly EntryPair[], stale: readonly ComparedEntry[]): ConsolidationPlan {
  const demotions = new Map<number, PlannedDemotion>();
  const proposals: PlannedProposal[] = [];
  for (const group of groupsOf(pairs)) {
    const { kept, others } = keptOf(group);
    const left = others.filter((entry) => {
      // A reader of the one path may see both, so that the reason shows it nothing new.
      if (entry.entity_path !== kept.entity_path || !isDemotable(group.strategy)) return true;
      if (isHarmless(entry)) demotions.set(entry.entry_id, demotionOf(entry, kept, group.strategy));
      return entry.outcome_count > 0;
    });
    if (left.length > 0) proposals.push(proposalOf(group, [kept, ...left]));
  }
  for (const entry of stale)
    if (isStale(entry) && !demotions.has(entry.entry_id))
      demotions.set(entry.entry_id, {
        entry,
        kept: undefined,
        reason: 'stale',
        why: 'old, never read and never tested',
      });
  return { demotions: [...demotions.values()], proposals };
}

const isDemotable = (strategy: Strategy): strategy is 'exact_duplicate' | 'belief_overtaken' =>
  strategy === 'exact_duplicate' || strategy === 'belief_overtaken';

export const isStale = (entry: ComparedEntry): boolean =>
  isHarmless(entry) && entry.recall_count === 0 && entry.outcome_count === 0;

function demotionOf(entry: ComparedEntry, kept: ComparedEntry, strategy: Strategy): PlannedDemotion {
  const why =
    strategy === 'exact_duplicate'
      ? `${nameOf(kept)} has the same value`
      : `${nameOf(kept)} is a fact that outcomes support, and says it`;
  return {
    ...{ entry, why, kept: { entity_path: kept.entity_path, key: kept.key } },
    reason: strategy === 'exact_duplicate' ? strategy : 'belief_overtaken',
  };
}

type EntryGroup = { strategy: Strategy; members: ComparedEntry[]; cosine: number };

/** Entries that are connected by pairs of one strategy. */
function groupsOf(pairs: readonly EntryPair[]): EntryGroup[] {
  const groups = new Map<string, EntryGroup>();
  for (const { one, other, strategy, cosine } of pairs) {
    // Groups of shared entries are formed without private ones.
    const nameIn = (entry: ComparedEntry) => `${strategy} ${one.shared & other.shared} ${entry.entry_id}`;
    const [a, b] = [groups.get(nameIn(one)), groups.get(nameIn(other))];
    if (a && a === b) {
      a.cosine = Math.min(a.cosine, cosine);
      continue;
    }
    const members = [...(a?.members ?? [one]), ...(b?.members ?? [other])];
    if (members.length > MAX_SOURCES) continue;
    const joined = { strategy, members, cosine: Math.min(cosine, a?.cosine ?? 1, b?.cosine ?? 1) };
    for (const entry of joined.members) groups.set(nameIn(entry), joined);
  }
  return [...new Set(groups.values())];
}

/**
 * A private entry gives way to a shared one, never the other way round: what others see does not depend on what only one agent
 * may see.
 */
function keptOf({ strategy, members }: EntryGroup): { kept: ComparedEntry; others: ComparedEntry[] } {
  const facts = members.filter(({ memory_type }) => memory_type === 'fact');
  const mayStay = strategy === 'belief_overtaken' && facts.length > 0 ? facts : members;
  const shared = mayStay.filter((entry) => entry.shared === 1);
  const kept = (shared.length > 0 ? shared : mayStay).toSorted(bestFirst)[0] as ComparedEntry;
  const hasPrivate = members.some((entry) => entry.shared === 0);
  const others = members.filter(
    (entry) =>
      entry !== kept &&
      !(hasPrivate && entry.shared === 1) &&
      !(strategy === 'belief_overtaken' && entry.memory_type !== 'belief'),
  );
  return { kept, others: others.toSorted(bestFirst) };
}

function proposalOf({ strategy, cosine }: EntryGroup, sources: readonly ComparedEntry[]): PlannedProposal {
  const n = sources.length;
  const reasons: Record<Strategy, string> = {
    exact_duplicate: `${n} entries have the same value`,
    near_duplicate: `${n} entries say nearly the same (cosine ${cosine.toFixed(2)} or more)`,
    belief_overtaken: `outcomes support a fact that takes the place of ${n === 2 ? 'a belief' : `${n - 1} beliefs`}`,
    contradiction: `agents disagree in ${n} entries`,
  };
  return { strategy, sources, rationale: `${reasons[strategy]}; ${whyKept(strategy, sources)}` };
}

/** Names what decided, and claims nothing else. */
function whyKept(strategy: Strategy, sources: readonly ComparedEntry[]): string {
  const [kept, next] = sources as [ComparedEntry, ComparedEntry];
  const name = nameOf(kept);
  if (strategy === 'belief_overtaken') return `${name} is that fact`;
  if (kept.shared > next.shared) return `${name} is kept because all may see it`;
  const merit = meritOver(kept, next);
  return merit ? `${name} ${merit}` : `nothing tells them apart: ${name} is kept, which was there first`;
}

const nameOf = ({ entity_path, key }: ComparedEntry): string => `${entity_path}/${key}`;
