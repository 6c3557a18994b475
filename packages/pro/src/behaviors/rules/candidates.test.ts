import { describe, expect, it } from 'vitest';
import { judgedTraceOf } from '../../evaluation/index.ts';
import { candidatesOf } from './candidates.ts';
import { literalIn } from './literal.ts';

const withErrors = (messages: readonly string[]) =>
  judgedTraceOf({
    ...{ trace_id: 't1', seq: 5, agent_id: 'agent/a', branch: 'main', visible_to: '' },
    ...{ outcome_ref: null, outcome_type: null, created_at: 0, is_partial: false },
    header: {
      ...{ task_input: null, response_text: null, decision_summary: null },
      ...{ attributes: {}, session_metadata: {}, session_started_at: null, session_ended_at: 6000 },
    },
    parts: messages.map((message) => ({
      ...{ kind: 'error', visible_to: '', entity_path: null, key: null, entry_id: null },
      data: { message },
    })),
  });

/** What is found, and in how many steps. */
function found(messages: readonly string[]) {
  const looking = candidatesOf(withErrors(messages));
  let steps = 0;
  let step = looking.next();
  for (; !step.done; step = looking.next()) steps++;
  return { steps, features: step.value.map(({ feature }) => feature) };
}

describe('Of the errors of an example', () => {
  const letters = (i: number) => [...String(i)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

  it('only the first that differ are looked at', () => {
    const { steps, features } = found(Array.from({ length: 5000 }, (_, i) => `failed with ${letters(i + 1000)}`));
    expect(features).toHaveLength(10);
    expect(features[9]).toBe('has the error “failed with baaj”');
    expect(steps).toBe(10);
  });

  it('each is a step where they do not differ, so that other work gets its turn', () => {
    const { steps, features } = found(Array.from({ length: 5000 }, (_, i) => `connection reset ${i}`));
    expect(features).toEqual(['has the error “connection reset”']);
    expect(steps).toBe(5000);
  });
});

it.each([
  ['a'.repeat(2000), 'a'.repeat(80)],
  ['x1y connection reset 7', 'connection reset'],
  ['short\nthe longest line\r\nid-7', 'the longest line'],
  ['one 2 threefour', 'threefour'],
])('the words with digits and the ends of lines divide a text: %s', (text, shown) => {
  expect(literalIn(text)?.shown).toBe(shown);
});
