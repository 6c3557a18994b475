import { describe, expect, it } from 'vitest';
import { percentile95, reasonOf } from './reason.ts';

describe('what a rule measured, in words', () => {
  const parts = { value: 0.25, samples: 40, complete: true, judge_id: 'no-delete', above: 0.2 };

  it('names all numbers of each metric', () => {
    expect(reasonOf({ ...parts, metric: 'failure_rate' })).toBe(
      'Judge no-delete failed 25 % of 40 traces; at most 20 % is allowed.',
    );
    expect(reasonOf({ ...parts, metric: 'incidents', value: 1, above: 0 })).toBe(
      '1 incident opened; none are allowed.',
    );
    expect(reasonOf({ ...parts, metric: 'cost_usd', value: 12.3456 })).toBe(
      '40 traces cost 12.3 USD; at most 0.2 USD is allowed.',
    );
    expect(reasonOf({ ...parts, metric: 'duration_ms', value: 31_234, above: 30_000 })).toBe(
      '1 in 20 of 40 traces took 31.2 s or longer; at most 30 s are allowed.',
    );
    expect(reasonOf({ ...parts, metric: 'calibration_error' })).toBe(
      'Confidence was off by 0.25 on average in 40 uses of an entry; at most 0.2 is allowed.',
    );
  });

  it('says where nothing, or not everything, was measured', () => {
    expect(reasonOf({ ...parts, metric: 'cost_usd', value: null })).toBe('Nothing to measure in this time.');
    expect(reasonOf({ ...parts, metric: 'incidents', complete: false })).toMatch(/There is more in this time/);
  });

  it('says why a rule that is broken raises no alert yet', () => {
    const few = { ...parts, metric: 'failure_rate', samples: 4 } as const;
    expect(reasonOf({ ...few, min_samples: 10 })).toMatch(/at most 20 % is allowed\. No alert before 10 of them\.$/);
    expect(reasonOf({ ...few, min_samples: 4 })).not.toMatch(/No alert/);
    expect(reasonOf({ ...few, value: 0.1, min_samples: 10 })).not.toMatch(/No alert/);
  });

  it('takes the value that 95 of 100 stay below', () => {
    expect(percentile95([])).toBeNull();
    expect(percentile95([7])).toBe(7);
    expect(percentile95(Array.from({ length: 100 }, (_, i) => i + 1))).toBe(95);
    expect(percentile95(Array.from({ length: 20 }, (_, i) => i + 1))).toBe(19);
  });
});
