import type { judgeShapes } from '@mem-service/server/module';

/** A version of an entry, by number: names are looked up when it is shown, so that they can be erased. */
export type NumberedVersion = { entry_id: number; version: number };

/** Whether a check holds: null where the trace does not say. The reason quotes nothing of the trace's own texts. */
export type CheckFinding = {
  holds: boolean | null;
  reason: string;
  /** What is allowed or required, where the reason alone does not say it. */
  bound?: string;
  span_ids: readonly string[];
  entries: readonly NumberedVersion[];
};

/** What a judge found in a trace. */
export type JudgeFinding = {
  result: judgeShapes.VerdictResult;
  score: number | null;
  reason: string;
  span_ids: readonly string[];
  entries: readonly NumberedVersion[];
};

export type AskedPattern = { pattern: string; ignore_case: boolean };

/**
 * Whether a regular expression matches a text; undefined where that takes too long for one turn. Throws `PatternFailed`
 * where a trace takes too long altogether.
 */
export type TestPattern = (asked: AskedPattern, text: string) => boolean | undefined;

/**
 * What rules are given to match with, for one trace: expressions need a deadline, and globs are those of the service.
 */
export type Matchers = { pattern: TestPattern; path: (glob: string, entityPath: string) => boolean; look: CountLooks };

/** Counts values that are looked at. Throws `PatternFailed` where they are too many for one trace. */
export type CountLooks = (values: number) => void;

/** A regular expression, or a judge, that was given up. */
export class PatternFailed extends Error {}

/** A check looks at a trace in steps, between which other work gets its turn. */
export type CheckSteps = Generator<void, CheckFinding>;

/** Verdicts name at most so many spans and entries. */
export const MAX_EVIDENCE = 20;
/** A verdict is stored for each trace and judge. */
export const MAX_REASON_CHARS = 500;

/** The first spans that differ, as many as verdicts name: a check may rest on very many. */
export function firstSpans(ids: Iterable<string | null>): string[] {
  const first = new Set<string>();
  for (const id of ids) {
    if (id !== null) first.add(id);
    if (first.size === MAX_EVIDENCE) break;
  }
  return [...first];
}

export const cutReason = (reason: string): string =>
  reason.length <= MAX_REASON_CHARS ? reason : `${reason.slice(0, MAX_REASON_CHARS - 1).toWellFormed()}…`;

/** A finding by itself, in words. */
export const sentenceOf = ({ reason, bound }: CheckFinding): string =>
  bound === undefined ? reason : `${reason}; ${bound}`;

/** Findings in words. Semicolons are between them, so what is allowed is in parentheses. */
export function sentencesOf(found: readonly CheckFinding[]): string {
  const [first, another] = found;
  if (first !== undefined && another === undefined) return sentenceOf(first);
  return found.map(inList).join('; ');
}

export const inList = ({ reason, bound }: CheckFinding): string =>
  bound === undefined ? reason : `${reason} (${bound})`;

/** What was not seen may be in the part of the trace that was not looked at. */
export const unless = (isPartial: boolean, holds: boolean): boolean | null => (isPartial ? null : holds);

export const plain = (holds: boolean | null, reason: string, bound?: string): CheckFinding => ({
  holds,
  reason,
  ...(bound === undefined ? {} : { bound }),
  span_ids: [],
  entries: [],
});
