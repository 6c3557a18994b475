// What judges, and those who work with verdicts, have in common: rules over traces, and figures with their intervals.
export { judgeInTurns } from './in-turns.ts';
export { fitsPath, newMatchers } from './matchers.ts';
export { mutedUntil } from './muted-until.ts';
export { benjaminiHochberg } from './rules/benjamini-hochberg.ts';
export { figureOf } from './rules/check-most.ts';
export { definitionProblems } from './rules/definition-problem.ts';
export {
  type Confusion,
  confusionOf,
  type DetectionRate,
  detectionOf,
  kappaOf,
  type LabelledResult,
} from './rules/detection.ts';
export {
  type CheckFinding,
  cutReason,
  type JudgeFinding,
  MAX_EVIDENCE,
  type Matchers,
  type NumberedVersion,
} from './rules/finding.ts';
export { fisher, type TwoGroups } from './rules/fisher.ts';
export { beforeJudging, isFor, type JudgeTarget, judge, noOpinion } from './rules/judge.ts';
export {
  type JudgedRead,
  type JudgedStep,
  type JudgedTrace,
  judgedTraceOf,
  type StoredPart,
  type StoredTrace,
} from './rules/judged-trace.ts';
export { type ModelOutline, outlineForModel, verdictMessages } from './rules/model-prompt.ts';
export { readModelVerdict } from './rules/model-verdict.ts';
export { isSampled, shareOf } from './rules/sample.ts';
export { type ShareDifference, twoProportions } from './rules/two-proportions.ts';
export { roundUsd, sumUsd } from './rules/usd.ts';
export { type Rate, wilson } from './rules/wilson.ts';
