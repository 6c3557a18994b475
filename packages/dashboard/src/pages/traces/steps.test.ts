import { describe, expect, it } from 'vitest';
import { stepsOf, type TraceStep, type WholeTrace, withBelow } from './steps.ts';

const at = '2026-11-17T12:00:00.000Z';

/** A trace of these spans and nothing else: each an id and its parent. */
function traceOf(spans: readonly (readonly [string, string | null])[]): WholeTrace {
  const none = { causal_entries: [], query_events: [], tool_calls: [], error_events: [], external_contexts: [] };
  const recorded = spans.map(([span_id, parent_span_id]) => {
    const times = { started_at: at, duration_ms: 1, recorded_at: at };
    return { span_id, parent_span_id, name: span_id, kind: 'agent', status: 'ok', error: null, ...times };
  });
  const session_metadata = { spans: recorded, llm_calls: [] };
  const ended = { session_started_at: at, session_ended_at: at, outcome_type: null, attempts: [] };
  const state_diff = { confidence_changes: [] };
  return { ...none, ...ended, state_diff, session_metadata } as unknown as WholeTrace;
}

const levelsOf = (one: TraceStep): number => 1 + Math.max(0, ...one.below.map(levelsOf));

describe('the spans of a trace', () => {
  it('stand below their parents, whichever is recorded first', () => {
    const { root } = stepsOf(
      traceOf([
        ['c', 'b'],
        ['a', null],
        ['b', 'a'],
        ['lost', 'never recorded'],
      ]),
    );
    expect(withBelow(root).map(({ id }) => id)).toEqual(['session', 'span-a', 'span-b', 'span-c', 'span-lost']);
  });

  it('that lie within themselves are shown, each once', () => {
    const { root, count } = stepsOf(
      traceOf([
        ['a', 'b'],
        ['b', 'a'],
        ['self', 'self'],
      ]),
    );
    expect(count).toBe(3);
    expect(withBelow(root)).toHaveLength(4);
  });

  it('that nest ten thousand levels deep are all shown, at a hundred levels', () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => `s${i}`);
    for (const order of [ids, ids.toReversed()]) {
      const { root, count } = stepsOf(
        traceOf(order.map((id) => [id, id === 's0' ? null : `s${Number(id.slice(1)) - 1}`])),
      );
      expect(count).toBe(10_000);
      expect(levelsOf(root)).toBe(102);
    }
  });
});
