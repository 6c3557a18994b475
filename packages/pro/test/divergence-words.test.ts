import { expect, it } from 'vitest';
import { becauseOf } from '../src/trace-navigation/rules/compare.ts';

it('says in plain English in what runs differ', () => {
  const step = { no: 0, kind: 'tool', name: 'refund', of: [] } as const;
  const because = (...differs: ('arguments' | 'result')[]) => becauseOf({ ...step, of: [], differs }, []);
  expect(because('arguments')).toBe('call of refund: other arguments');
  expect(because('arguments', 'result')).toBe('call of refund: other arguments and another result');
});
