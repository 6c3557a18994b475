import type { EvidenceStatus } from '../../entries/index.ts';
import { isContradiction, sharedWords } from './statements.ts';

/** An entry as a run looks at it. */
export type ComparedEntry = {
  entry_id: number;
  entity_path: string;
  key: string;
  version: number;
  seq: number;
  agent_id: string;
  shared: number;
  memory_type: string;
  content_hash: string;
  confidence: number;
  evidence_status: EvidenceStatus;
  outcome_count: number;
  /** Whether outcomes, or an earlier run, have touched it. */
  is_touched: boolean;
  recall_count: number;
  /** Undefined where it is too long to be compared. */
  text: string | undefined;
};

export type Strategy = 'exact_duplicate' | 'near_duplicate' | 'belief_overtaken' | 'contradiction';

/** How two entries were found to belong together. */
export type Likeness = { by: 'value' | 'name' | 'meaning'; cosine: number };

/** Nearer entries say nearly the same: of 1,052 different memories in bench/retrieval one pair is as near. */
export const LEAST_COSINE = 0.9;
/** Texts that are near by meaning share so many words; otherwise they only speak of the same. */
const LEAST_SHARED_WORDS = 0.6;

/** What two entries are to each other; undefined where both can stay as they are. */
export function strategyFor(one: ComparedEntry, other: ComparedEntry, { by, cosine }: Likeness): Strategy | undefined {
  if (by === 'value') return one.content_hash === other.content_hash ? 'exact_duplicate' : undefined;
  if (one.text === undefined || other.text === undefined) return undefined;
  const isNear = by === 'meaning' && cosine >= LEAST_COSINE && sharedWords(one.text, other.text) >= LEAST_SHARED_WORDS;
  if (by === 'meaning' && !isNear) return undefined;
  if (one.content_hash === other.content_hash) return by === 'name' ? undefined : 'exact_duplicate';
  if (isOvertaken(one, other) || isOvertaken(other, one)) return 'belief_overtaken';
  const isDifferent = by === 'name' || isContradiction(one.text, other.text);
  if (!isDifferent) return 'near_duplicate';
  return mayContradict(one, other) ? 'contradiction' : undefined;
}

const isOvertaken = (belief: ComparedEntry, fact: ComparedEntry): boolean =>
  belief.memory_type === 'belief' && fact.memory_type === 'fact' && fact.evidence_status === 'validated';

/** What happened to two agents differs; and an agent that writes twice has changed its mind or counts something. */
const mayContradict = (one: ComparedEntry, other: ComparedEntry): boolean =>
  one.agent_id !== other.agent_id && one.memory_type !== 'experience' && other.memory_type !== 'experience';

const RANKS: Record<EvidenceStatus, number> = { validated: 3, untested: 2, contested: 1, discredited: 0 };

type Merit = { of: (entry: ComparedEntry) => number; why: (entry: ComparedEntry) => string };

/** What decides which entry is kept, most important first. */
const MERITS: readonly Merit[] = [
  {
    of: ({ evidence_status }) => RANKS[evidence_status],
    why: ({ evidence_status }) => `has the best evidence (${evidence_status})`,
  },
  { of: ({ outcome_count }) => outcome_count, why: () => 'was tested by the most outcomes' },
  { of: ({ recall_count }) => recall_count, why: () => 'is read most' },
  { of: ({ confidence }) => confidence, why: ({ confidence }) => `has the most confidence (${confidence.toFixed(2)})` },
];

/** The entry to keep first: what outcomes support, what is read, what is trusted, what was there first. */
export function bestFirst(a: ComparedEntry, b: ComparedEntry): number {
  const deciding = MERITS.find(({ of }) => of(a) !== of(b));
  return deciding ? deciding.of(b) - deciding.of(a) : a.entry_id - b.entry_id;
}

/** What sets an entry apart from the next best; undefined where nothing does. */
export function meritOver(kept: ComparedEntry, next: ComparedEntry): string | undefined {
  const deciding = MERITS.find(({ of }) => of(kept) !== of(next));
  return deciding && deciding.of(kept) > deciding.of(next) ? deciding.why(kept) : undefined;
}
