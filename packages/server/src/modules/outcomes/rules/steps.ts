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

/** `entry` is the live entry; `read_version` the newest version of it that was read, where that is known. */
export type CauseResult<E = LiveEntry> = EntryKey & {
  entry: E | undefined;
  read_version: number | null;
  status: 'applied' | 'skipped';
  /** Null where it was applied. */
  reason: SkipReason | null;
};

/** `attempt` counts from 1 and is null for the end. */
export type OutcomeStep<E = LiveEntry> = {
  attempt: number | null;
  outcome_type: OutcomeType;
  causal_confidence: number;
  n_causal: number;
  causes: CauseResult<E>[];
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
export function planSteps<E extends LiveEntry>(
  outcome: Outcome,
  entryOf: (cause: Cause) => E | undefined,
): OutcomeStep<E>[] {
  const { causal_confidence } = outcome;
  const replayed = isReplay(outcome.attributes);
  const idOf = (cause: Cause) => entryOf(cause) ?? causeKeyText(cause);
  return [...outcome.attempts, outcome].map((tried, at) => {
    const causes = groupByEntry(tried.causes, idOf).map((readings): CauseResult<E> => {
      const { entity_path, key } = readings[0];
      const entry = entryOf(readings[0]);
      const reason = replayed ? 'replayed' : skipReason(readings, entry);
      const status = reason === null ? 'applied' : 'skipped';
      return { entity_path, key, entry, read_version: newestRead(readings), status, reason };
    });
    const attempt = at < outcome.attempts.length ? at + 1 : null;
    return { attempt, outcome_type: tried.outcome_type, causal_confidence, n_causal: causes.length, causes };
  });
}

function newestRead(readings: readonly Cause[]): number | null {
  let newest: number | null = null;
  for (const { version } of readings) if (version !== undefined && version > (newest ?? 0)) newest = version;
  return newest;
}

/** A caller that read an entry more than once may have read the current value too. */
function skipReason(readings: readonly Cause[], live: LiveEntry | undefined): SkipReason | null {
  if (!live) return 'not_found';
  return readings.some((reading) => isOf(reading, live)) ? null : 'value_changed';
}

/** A cause without version and hash means the current value. */
function isOf({ version, content_hash }: Cause, live: LiveEntry): boolean {
  if (content_hash !== undefined) return content_hash === live.content_hash;
  return version === undefined || version === live.version;
}
