import { describe, expect, it } from 'vitest';
import { isSuccess, OUTCOME_TYPES, type OutcomeType, parseOutcomeType } from './outcome-types.ts';

const LEGACY: [OutcomeType, OutcomeType][] = [
  ['clean_deploy', 'success'],
  ['regression', 'minor_failure'],
  ['p2_incident', 'failure'],
  ['p1_incident', 'critical_failure'],
];

describe('outcome types', () => {
  it('weigh more the worse the failure is', () => {
    expect(OUTCOME_TYPES.success).toEqual({ success: true, severity: 1, multiplier: 1.03 });
    expect(OUTCOME_TYPES.minor_failure).toEqual({ success: false, severity: 1.5, multiplier: 0.92 });
    expect(OUTCOME_TYPES.failure).toEqual({ success: false, severity: 2, multiplier: 0.9 });
    expect(OUTCOME_TYPES.critical_failure).toEqual({ success: false, severity: 3, multiplier: 0.85 });
  });

  it.each(LEGACY)('%s means %s and keeps its name', (legacy, type) => {
    expect(OUTCOME_TYPES[legacy]).toEqual(OUTCOME_TYPES[type]);
    expect(isSuccess(legacy)).toBe(type === 'success');
    expect(parseOutcomeType(legacy)).toBe(legacy);
  });

  it('are read in any case', () => {
    expect(parseOutcomeType('Success')).toBe('success');
    expect(parseOutcomeType('P1_INCIDENT')).toBe('p1_incident');
  });

  it('are these eight and nothing else', () => {
    expect(Object.keys(OUTCOME_TYPES)).toHaveLength(8);
    for (const text of ['', 'ok', ' success', 'constructor', '__proto__', 'toString'])
      expect(parseOutcomeType(text), text).toBeUndefined();
  });
});
