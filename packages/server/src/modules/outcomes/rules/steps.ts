import { type Cause, causeKeyText, type EntryKey, groupByEntry } from './causes.ts';
import type { OutcomeType } from './outcome-types.ts';

export type EndedAttempt = { outcome_type: OutcomeType; causes: readonly Cause[] };

/** The end of a session, with the attempts before it, oldest first. `causes` are only those of the end. */
export type Outcome = EndedAttempt & {
  causal_confidence: number;
  attributes: Readonly<Record<string, unknown>>;
  attempts: readonly EndedAttempt[];
};

/** The current state of an entry. Deleted entries, and those that the agent may not see, are left out. */
export type LiveEntry = EntryKey & { version: number; content_hash: string };

/** `value_changed`: the entry no longer has the value that was read, so the outcome does not apply to it. */
export type SkipReason = 'value_changed' | 'not_found' | 'replayed';

export type CauseResult = EntryKey & ({ status: 'applied' } | { status: 'skipped'; reason: SkipReason });

/** `attempt` counts from 1 and is null for the end. */
export type OutcomeStep = {
  attempt: number | null;
  outcome_type: OutcomeType;
  causal_confidence: number;
  n_causal: number;
  causes: CauseResult[];
};

/** A failure that is replayed to verify a repair is no new evidence. */
export function isReplay(attributes: Readonly<Record<string, unknown>>): boolean {
  const replayed = Object.hasOwn(attributes, 'replay_delivery_id') && attributes.replay_delivery_id != null;
  return replayed || (Object.hasOwn(attributes, 'origin') && attributes.origin === 'repair');
}

/**
 * The steps of an outcome, in order: each attempt for its own causes, then the end for its own. `n_causal` counts every
 * distinct entry of the step, also a skipped one: its share of credit or blame is not redistributed.
 */
export function planSteps(outcome: Outcome, live: readonly LiveEntry[]): OutcomeStep[] {
  const { causal_confidence } = outcome;
  const entries = new Map(live.map((entry) => [causeKeyText(entry), entry]));
  const replayed = isReplay(outcome.attributes);
  return [...outcome.attempts, outcome].map((tried, at) => {
    const causes = groupByEntry(tried.causes).map((readings): CauseResult => {
      const { entity_path, key } = readings[0];
      const reason = replayed ? 'replayed' : skipReason(readings, entries.get(causeKeyText(readings[0])));
      return reason ? { entity_path, key, status: 'skipped', reason } : { entity_path, key, status: 'applied' };
    });
    const attempt = at < outcome.attempts.length ? at + 1 : null;
    return { attempt, outcome_type: tried.outcome_type, causal_confidence, n_causal: causes.length, causes };
  });
}

/** A caller that read an entry more than once may have read the current value too. */
function skipReason(readings: readonly Cause[], live: LiveEntry | undefined): SkipReason | undefined {
  if (!live) return 'not_found';
  return readings.some((reading) => isOf(reading, live)) ? undefined : 'value_changed';
}

/** A cause without version and hash means the current value. */
function isOf({ version, content_hash }: Cause, live: LiveEntry): boolean {
  if (content_hash !== undefined) return content_hash === live.content_hash;
  return version === undefined || version === live.version;
}
