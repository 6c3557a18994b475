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
const MAX_LESSONS = 10;
const MAX_TEXT_LENGTH = 1000;

/**
 * The lessons of a success after failures: what only the failures used, against what worked in the end. Each belongs to one
 * path and names entries of that path only, because its readers may be kept to it: there is one at every path where
 * something failed, first where most causes of the success are. There is none without any cause, or without a difference
 * and a summary.
 */
export function contrastLessons(outcome: LessonOutcome): Lesson[] {
  if (!isSuccess(outcome.outcome_type) || isReplay(outcome.attributes)) return [];
  const failed = outcome.attempts.filter((attempt) => !isSuccess(attempt.outcome_type));
  if (failed.length === 0) return [];
  const paths = new Set([...pathsByCount(outcome.causes), ...pathsByCount(failed.flatMap(({ causes }) => causes))]);
  return [...paths]
    .flatMap((entity_path) => lessonAt(entity_path, outcome, { failed, isOnlyPath: paths.size === 1 }) ?? [])
    .slice(0, MAX_LESSONS);
}

type FailedAttempts = { failed: readonly LessonAttempt[]; isOnlyPath: boolean };

function lessonAt(entity_path: string, outcome: LessonOutcome, { failed, isOnlyPath }: FailedAttempts) {
  const [end, ...attempts] = [outcome, ...failed].map((one) => partAt(entity_path, one, isOnlyPath)) as [
    LessonAttempt,
    ...LessonAttempt[],
  ];
  const worked = itemsOf([outcome]);
  const avoid = [...itemsOf(attempts)].filter(([name]) => !worked.has(name)).map(([, item]) => item);
  const attempt_summaries = attempts.map(({ summary }) => cut(summary ?? '')).filter((text) => text !== '');
  if (avoid.length === 0 && attempt_summaries.length === 0) return undefined;
  const { outcome_ref } = outcome;
  return {
    entity_path,
    key: lessonKey(outcome_ref),
    value: {
      avoid: avoid.slice(-MAX_ITEMS),
      resolved_with: [...itemsOf([end]).values()].slice(-MAX_ITEMS),
      attempt_summaries: attempt_summaries.slice(-MAX_ITEMS),
      outcome_ref,
    },
    confidence: CONFIDENCE,
    memory_type: 'experience' as const,
    shared: [end, ...attempts].every(({ causes }) => causes.every(({ shared }) => shared !== false)),
  };
}

/**
 * What a lesson at the path may say of an attempt: the causes there. Its texts may be about any of its causes, so they are
 * left out where one lies elsewhere; those of an attempt without causes, where anything of the outcome does.
 */
function partAt(path: string, attempt: LessonAttempt, isOnlyPath: boolean): LessonAttempt {
  const { outcome_type, causes, actions, summary } = attempt;
  const there = causes.filter(({ entity_path }) => entity_path === path);
  const isWithin = causes.length === 0 ? isOnlyPath : there.length === causes.length;
  return { outcome_type, causes: there, ...(isWithin ? { actions, summary } : {}) };
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

/** The paths of causes, that of most causes first; of equals, the one named first. */
function pathsByCount(causes: readonly EntryKey[]): string[] {
  const counts = new Map<string, number>();
  for (const [{ entity_path }] of groupByEntry(causes)) counts.set(entity_path, (counts.get(entity_path) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([path]) => path);
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
