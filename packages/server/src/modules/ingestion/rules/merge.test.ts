import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ITEMS, mergeThing, type Thing, type ThingChange } from './merge.ts';

const NOTHING: Thing = { value: undefined, state: {} };

/** A state as it is stored between two events. */
const stored = (thing: Thing): Thing => JSON.parse(JSON.stringify(thing)) as Thing;

const after = (changes: readonly ThingChange[], from = NOTHING): Thing =>
  changes.reduce((thing, change) => {
    const { value, state } = stored({ ...mergeThing(thing, change).thing });
    return { value, state };
  }, from);

const stamp = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 1 }));
const json = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constantFrom('open', 'closed', null),
  fc.constant({ by: 'ana' }),
);
const members = fc.dictionary(fc.constantFrom('state', 'title', 'by', '__proto__'), json, {
  maxKeys: 3,
  noNullPrototype: true,
});
const item = fc.option(
  fc.record({ at: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'), text: fc.constantFrom('a', 'b') }),
);
const items = fc.dictionary(fc.constantFrom('c1', 'c2', 'c3'), item, { noNullPrototype: true });

const merging: fc.Arbitrary<ThingChange> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ stamp, value: members, merge: fc.constant(true) }) },
  {
    weight: 2,
    arbitrary: fc.record({ stamp, value: members, merge: fc.constant(true), items: fc.record({ comments: items }) }),
  },
  { weight: 1, arbitrary: fc.record({ stamp, value: fc.constant(null), deleted: fc.constant(true) }) },
);
const replacing: fc.Arbitrary<ThingChange> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ stamp, value: json }) },
  { weight: 1, arbitrary: fc.record({ stamp, value: fc.constant(null), deleted: fc.constant(true) }) },
);

/** Some changes, and the same in another order, some of them more than once. */
const inTwoOrders = (change: fc.Arbitrary<ThingChange>) =>
  fc.array(change, { minLength: 1, maxLength: 6 }).chain((changes) =>
    fc.tuple(
      fc.constant(changes),
      fc
        .shuffledSubarray([...changes, ...changes], { minLength: 2 * changes.length })
        .map((all) => all as readonly ThingChange[]),
    ),
  );

describe('merging what events say about a thing', () => {
  it.each([
    ['members, items and deletions', merging],
    ['whole values and deletions', replacing],
  ])('ends with the same value in any order, with repeats: %s', (_, change) => {
    fc.assert(
      fc.property(inTwoOrders(change), ([one, other]) => {
        expect(after(other).value).toEqual(after(one).value);
      }),
      { numRuns: 2000 },
    );
  });

  it('changes nothing when an event comes again', () => {
    fc.assert(
      fc.property(fc.array(merging, { minLength: 1, maxLength: 5 }), fc.nat(), (changes, n) => {
        const thing = after(changes);
        const again = changes[n % changes.length] as ThingChange;
        expect(after([again], thing).value).toEqual(thing.value);
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps a member that a later event set, and one that no event named', () => {
    const thing = after([
      { stamp: [2, 0], value: { state: 'closed', by: 'ben' }, merge: true },
      { stamp: [1, 0], value: { state: 'open', title: 'Checkout is slow' }, merge: true },
    ]);
    expect(thing.value).toEqual({ state: 'closed', by: 'ben', title: 'Checkout is slow' });
  });

  it('says that an event came late when all of it was overtaken', () => {
    const thing = after([{ stamp: [5, 0], value: { state: 'closed' }, merge: true }]);
    expect(mergeThing(thing, { stamp: [4, 0], value: { state: 'open' }, merge: true }).isLate).toBe(true);
    expect(mergeThing(thing, { stamp: [4, 0], value: { title: 'New' }, merge: true }).isLate).toBe(false);
    expect(mergeThing(after([{ stamp: [5, 0], value: 1 }]), { stamp: [4, 9], value: 2 }).isLate).toBe(true);
  });

  it('deletes a thing, which no older event brings back and a later one begins anew', () => {
    const gone = after([
      { stamp: [1, 0], value: { state: 'open', title: 'Old' }, merge: true },
      { stamp: [3, 0], value: null, deleted: true },
      { stamp: [2, 0], value: { state: 'closed' }, merge: true },
    ]);
    expect(gone.value).toBeUndefined();
    expect(after([{ stamp: [4, 0], value: { state: 'open' }, merge: true }], gone).value).toEqual({ state: 'open' });
  });

  it('puts the members of the newest event first and lists last', () => {
    const comment = { at: '2026-01-01T00:00:00Z', text: 'hm' };
    const thing = after([
      { stamp: [1, 0], value: { state: 'open', title: 'A' }, merge: true, items: { comments: { c1: comment } } },
      { stamp: [2, 0], value: { by: 'ana', state: 'closed' }, merge: true },
    ]);
    expect(JSON.stringify(thing.value)).toBe(
      '{"by":"ana","state":"closed","title":"A","comments":[{"id":"c1","at":"2026-01-01T00:00:00Z","text":"hm"}]}',
    );
  });

  it('keeps the newest items of a list, in any order', () => {
    const adding = Array.from({ length: MAX_ITEMS + 20 }, (_, n): ThingChange => {
      const at = new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
      return { stamp: [n, 0], value: {}, merge: true, items: { comments: { [`c${n}`]: { at } } } };
    });
    const inOrder = after(adding);
    const { comments } = inOrder.value as { comments: { id: string }[] };
    expect(comments).toHaveLength(MAX_ITEMS);
    expect(comments[0]?.id).toBe('c20');
    expect(after(adding.toReversed()).value).toEqual(inOrder.value);
    expect(Object.keys(inOrder.state.items?.comments ?? {})).toHaveLength(MAX_ITEMS);
  });
});
