import { expect, it } from 'vitest';
import { readChoice } from './choice.ts';

it('reads a step with its options, or an answer', () => {
  const options = { by: ['model', 7], since: '2026-01-01', until: 'never', judge_id: 'j', other: 1 };
  expect(readChoice(JSON.stringify({ step: 'segments', reason: 'r', options }), true)).toEqual({
    taken: {
      step: 'segments',
      reason: 'r',
      options: { by: ['model'], since: '2026-01-01T00:00:00.000Z', judge_id: 'j' },
    },
  });
  expect(readChoice('```json\n{"answer": "It is the release."}\n```', false)).toEqual({
    taken: { answer: 'It is the release.' },
  });
});

it.each([
  ['no', true],
  ['{"step": "delete_everything"}', true],
  ['{"step": "segments"}', false],
  ['{"answer": ""}', true],
])('takes nothing of %j', (text, maySearch) => {
  expect(readChoice(text, maySearch)).toHaveProperty('problem');
});
