import type { judgeShapes } from '@mem-service/server/module';
import { allOf, checkTrace } from './check.ts';
import {
  type CheckFinding,
  cutReason,
  inList,
  type JudgeFinding,
  MAX_EVIDENCE,
  type Matchers,
  PatternFailed,
  sentenceOf,
  sentencesOf,
} from './finding.ts';
import type { JudgedTrace } from './judged-trace.ts';

type AnyDefinition = judgeShapes.JudgeDefinition;
type CodeDefinition = Extract<AnyDefinition, { kind: 'code' }>;
type RubricDefinition = Extract<AnyDefinition, { kind: 'rubric' }>;
/** A judge looks at a trace in steps, between which other work gets its turn. */
type JudgeSteps = Generator<void, JudgeFinding>;

export type JudgeTarget = { agent_id: string | null; entity_path: string | null };

/** Whether a judge is for this trace. */
export function isFor({ agent_id, entity_path }: JudgeTarget, trace: JudgedTrace, fitsPath: Matchers['path']): boolean {
  if (agent_id !== null && agent_id !== trace.agent_id) return false;
  return entity_path === null || trace.reads.some((read) => fitsPath(entity_path, read.entity_path));
}

const finding = (
  result: judgeShapes.VerdictResult,
  score: number | null,
  { reason, span_ids, entries }: Pick<CheckFinding, 'reason' | 'span_ids' | 'entries'>,
): JudgeFinding => ({
  result,
  score,
  reason: cutReason(reason),
  span_ids: span_ids.slice(0, MAX_EVIDENCE),
  entries: entries.slice(0, MAX_EVIDENCE),
});

const NOTHING = { span_ids: [], entries: [] };

/** What a judge found without an opinion on the trace. */
export const noOpinion = (result: 'skipped' | 'error', reason: string): JudgeFinding =>
  finding(result, null, { reason, ...NOTHING });

/** Judges a trace. */
export function* judge(definition: judgeShapes.CheckedDefinition, trace: JudgedTrace, matchers: Matchers): JudgeSteps {
  return yield* withinTime(
    (function* () {
      const left = yield* leftOut(definition, trace, matchers);
      if (left) return left;
      if (definition.kind === 'code') return yield* byCode(definition, trace, matchers);
      return yield* byRubric(definition, trace, matchers);
    })(),
  );
}

/** What comes of a trace that a judge does not apply to; nothing where it does. */
export function* beforeJudging(
  definition: AnyDefinition,
  trace: JudgedTrace,
  matchers: Matchers,
): Generator<void, JudgeFinding | undefined> {
  return yield* withinTime(leftOut(definition, trace, matchers));
}

function* leftOut(
  { when }: AnyDefinition,
  trace: JudgedTrace,
  matchers: Matchers,
): Generator<void, JudgeFinding | undefined> {
  const applies = when && (yield* checkTrace(when, trace, matchers));
  return applies && applies.holds !== true ? noOpinion('skipped', `does not apply: ${sentenceOf(applies)}`) : undefined;
}

/** A regular expression that takes too long is an error of the judge. */
function* withinTime<T>(steps: Generator<void, T>): Generator<void, T | JudgeFinding> {
  try {
    return yield* steps;
  } catch (error) {
    if (!(error instanceof PatternFailed)) throw error;
    return noOpinion('error', error.message);
  }
}

function* byCode({ checks }: CodeDefinition, trace: JudgedTrace, matchers: Matchers): JudgeSteps {
  const found: CheckFinding[] = [];
  for (const check of checks) found.push(yield* checkTrace(check, trace, matchers));
  const all = allOf(found);
  const { holds } = all;
  const rest = { ...all, reason: sentenceOf(all) };
  const known = found.filter((one) => one.holds !== null);
  const score = known.length === 0 ? null : known.filter((one) => one.holds).length / known.length;
  if (holds === null) return finding('skipped', null, { ...rest, reason: unknownWords(trace, rest.reason) });
  return finding(holds ? 'pass' : 'fail', score, rest);
}

/** Of part of a trace it is not known whether what was not seen is in the rest. */
const unknownWords = ({ is_partial }: JudgedTrace, reason: string): string =>
  is_partial ? `not known, as only a part of the trace was looked at: ${reason}` : reason;

/** The share of the weights that are met among those that are known. */
function* byRubric({ items, pass_at }: RubricDefinition, trace: JudgedTrace, matchers: Matchers): JudgeSteps {
  const found: { item: RubricDefinition['items'][number]; met: CheckFinding }[] = [];
  for (const item of items) found.push({ item, met: yield* checkTrace(item.check, trace, matchers) });
  const known = found.filter(({ met }) => met.holds !== null);
  const sum = (some: typeof found) => some.reduce((total, { item }) => total + item.weight, 0);
  const missed = known.filter(({ met }) => met.holds === false);
  const all = found.length === known.length ? '' : ` (${found.length - known.length} of ${found.length} are not known)`;
  if (known.length === 0)
    return finding('skipped', null, {
      reason: unknownWords(trace, sentencesOf(found.map(({ met }) => met))),
      ...NOTHING,
    });
  const score = roundScore(1 - sum(missed) / sum(known));
  const needed = found.find(({ item, met }) => item.required && met.holds !== true);
  if (needed?.met.holds === null)
    return finding('skipped', null, {
      reason: `"${needed.item.name}" is required and not known: ${unknownWords(trace, sentenceOf(needed.met))}`,
      ...NOTHING,
    });
  const reasons = missed.map(({ item, met }) => `"${item.name}": ${inList(met)}`);
  const reason = reasons.length === 0 ? `all items are met${all}` : `missed ${reasons.join('; ')}${all}`;
  const span_ids = [...new Set(missed.flatMap(({ met }) => met.span_ids))];
  const entries = missed.flatMap(({ met }) => met.entries);
  return finding(needed || score < pass_at ? 'fail' : 'pass', score, { reason, span_ids, entries });
}

/** So that sums of weights that are equal on paper are equal. */
const roundScore = (score: number): number => Math.round(score * 1e6) / 1e6;
