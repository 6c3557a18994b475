import type { judgeShapes } from '@mem-service/server/module';
import { checkMemory } from './check-memory.ts';
import { checkMost } from './check-most.ts';
import { checkOrder } from './check-order.ts';
import { checkPath } from './check-path.ts';
import { checkPattern } from './check-pattern.ts';
import { checkForbidden, checkRequired } from './check-tools.ts';
import { type CheckFinding, type CheckSteps, firstSpans, MAX_EVIDENCE, type Matchers, sentencesOf } from './finding.ts';
import type { JudgedTrace } from './judged-trace.ts';

/** Whether something holds of a trace, and what that rests on. */
export function* checkTrace(check: judgeShapes.TraceCheck, trace: JudgedTrace, matchers: Matchers): CheckSteps {
  if (check.check === 'any_of' || check.check === 'all_of') {
    const found: CheckFinding[] = [];
    for (const one of check.of) found.push(yield* checkTrace(one, trace, matchers));
    return check.check === 'any_of' ? anyOf(found) : allOf(found);
  }
  yield;
  if (check.check === 'json_path') return yield* checkPath(check, trace, matchers);
  if (check.check === 'pattern') return yield* checkPattern(check, trace, matchers);
  if (check.check === 'order') return yield* checkOrder(check, trace, matchers);
  return inOneStep(check, trace, matchers);
}

type CheckOfOneStep = Exclude<judgeShapes.SimpleCheck, { check: 'json_path' | 'pattern' | 'order' }>;

function inOneStep(check: CheckOfOneStep, trace: JudgedTrace, matchers: Matchers): CheckFinding {
  switch (check.check) {
    case 'tool_required':
      return checkRequired(check, trace, matchers);
    case 'tool_forbidden':
      return checkForbidden(check, trace, matchers);
    case 'most':
      return checkMost(check, trace);
    case 'outcome':
      return checkOutcome(check, trace);
    default:
      return checkMemory(check, trace, matchers);
  }
}

function checkOutcome(
  check: Extract<judgeShapes.SimpleCheck, { check: 'outcome' }>,
  { outcome_type }: JudgedTrace,
): CheckFinding {
  if (outcome_type === null) return { holds: null, reason: 'the trace has no outcome', span_ids: [], entries: [] };
  const isIn = (check.in as readonly string[]).includes(outcome_type);
  return { holds: isIn !== check.not, reason: `the outcome is ${outcome_type}`, span_ids: [], entries: [] };
}

/** Holds where one of them does; not known where none does and one is not known. */
function anyOf(found: readonly CheckFinding[]): CheckFinding {
  const first = found.find(({ holds }) => holds === true);
  if (first) return first;
  return together(found.some(({ holds }) => holds === null) ? null : false, found);
}

export function allOf(found: readonly CheckFinding[]): CheckFinding {
  const failed = found.filter(({ holds }) => holds === false);
  if (failed.length > 0) return together(false, failed);
  const unknown = found.filter(({ holds }) => holds === null);
  return unknown.length > 0 ? together(null, unknown) : together(true, found);
}

function together(holds: boolean | null, found: readonly CheckFinding[]): CheckFinding {
  const [first, another] = found;
  if (first && !another) return { ...first, holds };
  return {
    holds,
    reason: sentencesOf(found),
    span_ids: firstSpans(found.flatMap(({ span_ids }) => span_ids)),
    entries: found.flatMap(({ entries }) => entries.slice(0, MAX_EVIDENCE)).slice(0, MAX_EVIDENCE),
  };
}
