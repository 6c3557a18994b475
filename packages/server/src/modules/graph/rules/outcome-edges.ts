import { type Edge, entryNode } from './edges.ts';

/** Has no number once it was erased: it keeps its position between the others, and no edge leads to it. */
export type OutcomeCause = { branch: string; entry_id: number | null; visible_to: string };
type StoredCause = OutcomeCause & { entry_id: number };

/** `causes` in the order in which they were read. */
export type LinkedOutcome = {
  outcome_ref: string;
  visible_to: string;
  success: boolean;
  causes: readonly OutcomeCause[];
};

const MAX_PAIRS = 50;
const AFTER_SUCCESS = 1;
const AFTER_FAILURE = 0.7;

/** Each cause informed the outcome, and co-occurs with one that was read before it. */
export function outcomeEdges({ outcome_ref, visible_to: whose, success, causes }: LinkedOutcome): Edge[] {
  const confidence = success ? AFTER_SUCCESS : AFTER_FAILURE;
  const once = [
    ...new Map(causes.map((cause, i) => [`${cause.branch}\0${cause.entry_id ?? `erased ${i}`}`, cause])).values(),
  ].map((cause) => ({ ...cause, visible_to: cause.visible_to || whose }));
  const informed = once.filter(isKnown).map(
    ({ branch, entry_id, visible_to }): Edge => ({
      branch,
      source_type: 'entry',
      source: entryNode(entry_id),
      visible_to,
      relation: 'informed',
      target_type: 'outcome',
      target: outcome_ref,
      confidence,
      evidence_count: 1,
    }),
  );
  const pairs = pairsOf(once).flatMap(([a, b, visible_to]) =>
    isKnown(a) && isKnown(b) ? [together(a, b, { visible_to, confidence })] : [],
  );
  return [...informed, ...pairs];
}

const isKnown = (cause: OutcomeCause): cause is StoredCause => cause.entry_id !== null;

type CausePair = readonly [OutcomeCause, OutcomeCause, visible_to: string];

/**
 * A chain instead of every pair. Causes visible to everyone are chained separately, so that neither the chain nor its limit
 * reveals private entries in between.
 */
function pairsOf(causes: readonly OutcomeCause[]): CausePair[] {
  const open: CausePair[] = [];
  const hidden: CausePair[] = [];
  let before: OutcomeCause | undefined;
  let openBefore: OutcomeCause | undefined;
  for (const cause of causes) {
    if (cause.visible_to === '' && openBefore) open.push([openBefore, cause, '']);
    else if (before && mayMeet(before, cause)) hidden.push([before, cause, cause.visible_to || before.visible_to]);
    before = cause;
    if (cause.visible_to === '') openBefore = cause;
  }
  return [...open, ...hidden].slice(0, MAX_PAIRS);
}

/** Entries private to different agents are never linked. */
const mayMeet = (a: OutcomeCause, b: OutcomeCause) =>
  a.visible_to === '' || b.visible_to === '' || a.visible_to === b.visible_to;

/** The same edge regardless of which was read first. */
function together(a: StoredCause, b: StoredCause, how: { visible_to: string; confidence: number }): Edge {
  const [first, second] = a.entry_id < b.entry_id ? [a, b] : [b, a];
  return {
    branch: first.branch,
    source_type: 'entry',
    source: entryNode(first.entry_id),
    visible_to: how.visible_to,
    relation: 'co_occurs_with',
    target_type: 'entry',
    target: entryNode(second.entry_id),
    confidence: how.confidence,
    evidence_count: 1,
  };
}
