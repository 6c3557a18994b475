import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as values from './json.ts';
import type { EntryState, MaybeState } from './states.ts';
import * as states from './states.ts';

/** All steps at once. */
function atOnce<A extends unknown[], T>(steps: (...args: A) => values.JsonSteps<T>) {
  return (...args: A): T => {
    const running = steps(...args);
    for (;;) {
      const step = running.next();
      if (step.done) return step.value;
    }
  };
}

const differencesOf = atOnce(values.differencesOf);
const isSameJson = atOnce(values.sameJson);
const mergeJson = atOnce(values.mergeJson);
const fieldDifferences = atOnce(states.fieldDifferences);
const isSameState = atOnce(states.sameStates);
const mergeStates = atOnce(states.mergeStates);

/** Few names and values, so that both sides often touch the same ones. */
const json: fc.Arbitrary<values.Json> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, 0, 1, 'a', 'b'),
    fc.array(fc.constantFrom(1, 2), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('x', 'y', '~/', '__proto__'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const state: fc.Arbitrary<EntryState> = fc.record({
  value: json,
  memory_type: fc.constantFrom('fact', 'belief'),
  shared: fc.boolean(),
  ttl_at: fc.constantFrom(null, 1, 2),
  pattern_refs: fc.constantFrom<values.Json>([], ['p']),
  artifact_refs: fc.constant<values.Json>([]),
  confidence: fc.constantFrom(0.5, 0.7),
});
const maybe: fc.Arbitrary<MaybeState> = fc.option(state, { nil: undefined, freq: 4 });
const three = fc.record({ base: maybe, source: maybe, target: maybe });
const detection = fc.constantFrom('field' as const, 'entry' as const);

/** What the target has after a merge; undefined means deleted, `conflict` that it cannot be said. */
function resultOf(states: { base: MaybeState; source: MaybeState; target: MaybeState }, mode: 'field' | 'entry') {
  const merged = mergeStates(states, { detection: mode });
  if (merged.kind === 'conflict') return 'conflict';
  if (merged.kind === 'merged') return merged.state;
  return merged.kind === 'deleted' ? undefined : states[merged.kind];
}

describe('a three-way merge of values', () => {
  it('takes members from both sides', () => {
    const merged = mergeJson({ base: { a: 1, b: 1 }, source: { a: 2, b: 1 }, target: { a: 1, b: 1, c: 3 } });
    expect(merged).toEqual({ value: { a: 2, b: 1, c: 3 }, conflicts: [] });
  });

  it('names the members that both sides changed', () => {
    const merged = mergeJson({ base: { a: { b: 1 } }, source: { a: { b: 2 } }, target: { a: { b: 3 } } });
    expect(merged).toEqual({ value: { a: { b: 3 } }, conflicts: ['/a/b'] });
  });

  it('takes lists whole', () => {
    expect(mergeJson({ base: [1, 2], source: [1, 3], target: [0, 2] }).conflicts).toEqual(['']);
  });

  it('removes a member that one side removed', () => {
    expect(mergeJson({ base: { a: 1, b: 2 }, source: { b: 2 }, target: { a: 1, b: 3 } }).value).toEqual({ b: 3 });
  });

  it('is the same whichever side is called the source', () => {
    fc.assert(
      fc.property(json, json, json, (base, source, target) => {
        const one = mergeJson({ base, source, target });
        const other = mergeJson({ base, source: target, target: source });
        expect(new Set(one.conflicts)).toEqual(new Set(other.conflicts));
        if (one.conflicts.length === 0) expect(isSameJson(one.value, other.value)).toBe(true);
      }),
    );
  });

  it('has no conflict where a side is preferred, and takes that side where both changed', () => {
    fc.assert(
      fc.property(json, json, json, (base, source, target) => {
        const { conflicts } = mergeJson({ base, source, target });
        const preferred = mergeJson({ base, source, target }, 'source');
        expect(preferred.conflicts).toEqual([]);
        if (conflicts.includes('')) expect(isSameJson(preferred.value, source)).toBe(true);
      }),
    );
  });
});

describe('the difference of two values', () => {
  it('is empty only for the same value', () => {
    fc.assert(
      fc.property(json, json, (from, to) => {
        expect(differencesOf(from, to).length === 0).toBe(isSameJson(from, to));
        expect(differencesOf(from, structuredClone(from))).toEqual([]);
      }),
    );
  });

  it('names members by JSON Pointers', () => {
    expect(differencesOf({ 'a/b': { '~': 1 } }, { 'a/b': { '~': 2, c: [] } })).toEqual([
      { path: '/a~1b/~0', from: 1, to: 2 },
      { path: '/a~1b/c', from: undefined, to: [] },
    ]);
  });
});

describe('a three-way merge of entries', () => {
  it('does nothing for a source without changes', () => {
    fc.assert(
      fc.property(maybe, maybe, detection, (base, target, mode) => {
        expect(mergeStates({ base, source: structuredClone(base), target }, { detection: mode })).toEqual({
          kind: 'target',
        });
      }),
    );
  });

  it('takes everything from the source where the target has not changed', () => {
    fc.assert(
      fc.property(maybe, maybe, detection, (base, source, mode) => {
        expect(isSameState(resultOf({ base, source, target: base }, mode) as MaybeState, source)).toBe(true);
      }),
    );
  });

  it('is the same whichever side is called the source', () => {
    fc.assert(
      fc.property(three, detection, ({ base, source, target }, mode) => {
        const one = resultOf({ base, source, target }, mode);
        const other = resultOf({ base, source: target, target: source }, mode);
        if (one === 'conflict' || other === 'conflict') expect(one).toBe(other);
        else expect(isSameState(one, other)).toBe(true);
      }),
    );
  });

  it('leaves nothing to merge once it is done', () => {
    fc.assert(
      fc.property(three, detection, (states, mode) => {
        const result = resultOf(states, mode);
        if (result === 'conflict') return;
        const again = { base: states.source, source: states.source, target: result };
        expect(mergeStates(again, { detection: mode })).toEqual({ kind: 'target' });
      }),
    );
  });

  it('has no conflict where a side is preferred', () => {
    fc.assert(
      fc.property(three, fc.constantFrom('source' as const, 'target' as const), detection, (states, prefer, mode) => {
        expect(mergeStates(states, { detection: mode, prefer }).kind).not.toBe('conflict');
      }),
    );
  });

  it('conflicts where one side deletes what the other changes', () => {
    const base = fc.sample(state, 1)[0] as EntryState;
    const changed = { ...base, value: 'other than before' };
    expect(mergeStates({ base, source: undefined, target: changed }, { detection: 'field' })).toMatchObject({
      reason: 'deleted_by_source',
    });
    expect(mergeStates({ base, source: changed, target: undefined }, { detection: 'field' })).toMatchObject({
      reason: 'deleted_by_target',
    });
  });

  it('never conflicts about a confidence', () => {
    fc.assert(
      fc.property(state, fc.nat(100), fc.nat(100), (base, one, other) => {
        const source = { ...base, confidence: one / 100 };
        const target = { ...base, confidence: other / 100 };
        expect(mergeStates({ base, source, target }, { detection: 'field' }).kind).not.toBe('conflict');
      }),
    );
  });

  it('takes the later change where the newest wins', () => {
    const base = { ...(fc.sample(state, 1)[0] as EntryState), value: 'base' };
    const states = { base, source: { ...base, value: 'source' }, target: { ...base, value: 'target' } };
    expect(mergeStates(states, { detection: 'newest', newest: 'source' })).toEqual({ kind: 'source' });
    expect(mergeStates(states, { detection: 'newest', newest: 'target' })).toEqual({ kind: 'target' });
  });

  it('conflicts about any two changes of one entry where it is asked to', () => {
    const base = { ...(fc.sample(state, 1)[0] as EntryState), value: { a: 1, b: 1 } };
    const states = { base, source: { ...base, value: { a: 2, b: 1 } }, target: { ...base, value: { a: 1, b: 2 } } };
    expect(mergeStates(states, { detection: 'field' }).kind).toBe('merged');
    expect(mergeStates(states, { detection: 'entry' })).toMatchObject({ kind: 'conflict', reason: 'both_modified' });
  });

  it('names what differs by field', () => {
    const base = { ...(fc.sample(state, 1)[0] as EntryState), value: { a: 1 }, memory_type: 'fact' };
    const after = { ...base, value: { a: 2 }, memory_type: 'belief' };
    expect(fieldDifferences(base, after)).toEqual([
      { path: '/value/a', from: 1, to: 2 },
      { path: '/memory_type', from: 'fact', to: 'belief' },
    ]);
  });
});

describe('large values', () => {
  const wide = (n: number) => Object.fromEntries(Array.from({ length: 45_000 }, (_, i) => [`m${i}`, i === n ? -1 : i]));

  it('are compared and merged in steps', () => {
    const three = { base: { in: wide(0) }, source: { in: wide(1) }, target: { in: wide(2) } };
    for (const running of [
      values.sameJson(three.base, structuredClone(three.base)),
      values.differencesOf(three.base, three.source),
      values.mergeJson(three),
    ]) {
      let steps = 0;
      while (!running.next().done) steps++;
      expect(steps).toBeGreaterThan(20);
    }
  });
});
