import { causeKeyText, type EntryKey, groupByEntry } from './causes.ts';
import { isSuccess, type OutcomeType } from './outcome-types.ts';
import { isReplay } from './steps.ts';

/** `shared: false`: only the agent itself may see the entry. */
export type LessonCause = EntryKey & { shared?: boolean | undefined };

export type LessonAttempt = {
  outcome_type: OutcomeType;
  causes: readonly LessonCause[];
  /** The actions, in words or as names of tools. */
  actions?: readonly string[] | undefined;
  summary?: string | null | undefined;
};

export type LessonOutcome = LessonAttempt & {
  outcome_ref: string;
  attributes: Readonly<Record<string, unknown>>;
  attempts: readonly LessonAttempt[];
};

export type LessonItem = EntryKey | { action: string };

export type Lesson = EntryKey & {
  value: { avoid: LessonItem[]; resolved_with: LessonItem[]; attempt_summaries: string[]; outcome_ref: string };
  confidence: number;
  memory_type: 'experience';
  shared: boolean;
};

const CONFIDENCE = 0.8;
const MAX_ITEMS = 50;
const MAX_TEXT_LENGTH = 1000;

/**
 * The lesson of a success after failures: what only the failures used, against what worked in the end. It belongs at the
 * path of most causes of the success, or of the failures if the success names none. There is no lesson without any cause,
 * or without a difference and a summary.
 */
export function contrastLesson(outcome: LessonOutcome): Lesson | undefined {
  if (!isSuccess(outcome.outcome_type) || isReplay(outcome.attributes)) return undefined;
  const failed = outcome.attempts.filter((attempt) => !isSuccess(attempt.outcome_type));
  const failedCauses = failed.flatMap((attempt) => attempt.causes);
  const entity_path = mostFrequentPath(outcome.causes) ?? mostFrequentPath(failedCauses);
  if (failed.length === 0 || entity_path === undefined) return undefined;

  const worked = itemsOf([outcome]);
  const avoid = [...itemsOf(failed)].filter(([name]) => !worked.has(name)).map(([, item]) => item);
  const attempt_summaries = failed.map(({ summary }) => cut(summary ?? '')).filter((text) => text !== '');
  if (avoid.length === 0 && attempt_summaries.length === 0) return undefined;

  const { outcome_ref } = outcome;
  return {
    entity_path,
    key: lessonKey(outcome_ref),
    value: {
      avoid: avoid.slice(-MAX_ITEMS),
      resolved_with: [...worked.values()].slice(-MAX_ITEMS),
      attempt_summaries: attempt_summaries.slice(-MAX_ITEMS),
      outcome_ref,
    },
    confidence: CONFIDENCE,
    memory_type: 'experience',
    shared: [...outcome.causes, ...failedCauses].every(({ shared }) => shared !== false),
  };
}

/** Each item once, under a name that distinguishes entries from actions. */
function itemsOf(attempts: readonly LessonAttempt[]): Map<string, LessonItem> {
  const items = new Map<string, LessonItem>();
  for (const { causes, actions = [] } of attempts) {
    for (const { entity_path, key } of causes) items.set(causeKeyText({ entity_path, key }), { entity_path, key });
    for (const action of actions.map(cut)) if (action !== '') items.set(`\n${action}`, { action });
  }
  return items;
}

/** The path of most causes; of several, the one named first. */
function mostFrequentPath(causes: readonly EntryKey[]): string | undefined {
  const counts = new Map<string, number>();
  for (const [{ entity_path }] of groupByEntry(causes)) counts.set(entity_path, (counts.get(entity_path) ?? 0) + 1);
  return [...counts].reduce<[string, number] | undefined>(
    (most, one) => (most && most[1] >= one[1] ? most : one),
    undefined,
  )?.[0];
}

const cut = (text: string): string => {
  const trimmed = text.trim();
  return trimmed.length <= MAX_TEXT_LENGTH ? trimmed : `${[...trimmed].slice(0, MAX_TEXT_LENGTH).join('')}…`;
};

const KEY_PREFIX = 'lesson-contrast-';
const MAX_KEY_LENGTH = 256;
const HASH_LENGTH = 13;
/** Also drops characters of two code units, so that truncating never splits one. */
const UNSAFE = /[^\p{L}\p{M}\p{N}._:@#+=-]+|[\u{10000}-\u{10ffff}]+/gu;
const HASHED = new RegExp(`-[0-9a-z]{${HASH_LENGTH}}$`);

/** One key per reference: a reference that had to be changed, or looks as if it had been, gets its hash as a suffix. */
export function lessonKey(outcomeRef: string): string {
  const room = MAX_KEY_LENGTH - KEY_PREFIX.length;
  const safe = outcomeRef.normalize('NFC').replace(UNSAFE, '-');
  if (safe === outcomeRef && safe.length <= room && !HASHED.test(safe)) return KEY_PREFIX + safe;
  return `${KEY_PREFIX}${safe.slice(0, room - HASH_LENGTH - 1)}-${hashOf(outcomeRef)}`;
}

/** FNV-1a of 64 bits. It only has to distinguish names. */
function hashOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at++)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n);
  return hash.toString(36).padStart(HASH_LENGTH, '0');
}
