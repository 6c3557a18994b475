import type { caseShapes } from '@mem-service/server/module';

export type CaseChange = (typeof caseShapes.caseChanges)[number];

/** What became of a case since the run before. */
export function changeOf(before: caseShapes.CaseResultName | null, result: caseShapes.CaseResultName): CaseChange {
  if (before === null) return 'new';
  if (before === result) return 'same';
  if (result === 'pass') return 'fixed';
  return before === 'pass' ? 'broken' : 'other';
}

export type RunCounts = {
  cases: number;
  passed: number;
  failed: number;
  errors: number;
  skipped: number;
  missing: number;
  fixed: number;
  broken: number;
};

type ComparedCase = { result: caseShapes.CaseResultName; before: caseShapes.CaseResultName | null };

export function countsOf(results: readonly ComparedCase[]): RunCounts {
  const having = (result: caseShapes.CaseResultName) => results.filter((one) => one.result === result).length;
  const changed = (change: CaseChange) => results.filter((one) => changeOf(one.before, one.result) === change).length;
  return {
    cases: results.length,
    passed: having('pass'),
    failed: having('fail'),
    errors: having('error'),
    skipped: having('skipped'),
    missing: having('missing'),
    fixed: changed('fixed'),
    broken: changed('broken'),
  };
}
