import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveParents, spanRows, type TreeSpan } from './span-tree.ts';

const span = (span_id: string, parent_span_id: string | null = null, started_at: string | null = null): TreeSpan => ({
  span_id,
  parent_span_id,
  started_at,
});
const parents = (spans: readonly TreeSpan[]) =>
  Object.fromEntries(resolveParents(spans).map(({ span_id, parent_span_id }) => [span_id, parent_span_id]));

function rowsOf<S extends TreeSpan>(spans: readonly S[]) {
  const steps = spanRows(spans);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

describe('settleParents', () => {
  it('keeps valid parents, wherever they are in the list', () => {
    const spans = [span('c', 'b'), span('a'), span('b', 'a')];
    expect(resolveParents(spans)).toEqual(spans);
  });

  it('puts a span with an unknown parent at the top', () => {
    expect(parents([span('a', 'gone'), span('b', 'a'), span('c', '')])).toEqual({ a: null, b: 'a', c: null });
  });

  it('opens a circle at the span that started first', () => {
    const circle = [span('a', 'c', '2026-01-03'), span('b', 'a', '2026-01-01'), span('c', 'b', '2026-01-02')];
    expect(parents([...circle, span('d', 'a')])).toEqual({ a: 'c', b: null, c: 'b', d: 'a' });
    expect(parents([span('d', 'a'), ...circle.reverse()])).toEqual({ a: 'c', b: null, c: 'b', d: 'a' });
  });

  it('opens a circle at the least id where starts are alike or unknown', () => {
    expect(parents([span('b', 'a'), span('a', 'b')])).toEqual({ a: null, b: 'a' });
    expect(parents([span('a', 'b'), span('b', 'a', '2026-01-01')])).toEqual({ a: 'b', b: null });
    expect(parents([span('self', 'self')])).toEqual({ self: null });
  });

  it('opens each of several circles, and does so whatever the order', () => {
    const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'gone');
    const spans = fc.uniqueArray(
      fc.record({ span_id: ids, parent_span_id: ids, started_at: fc.constantFrom(null, '1', '2') }),
      {
        selector: ({ span_id }) => span_id,
      },
    );
    fc.assert(
      fc.property(spans, (given) => {
        const resolved = parents(given);
        expect(parents([...given].reverse())).toEqual(resolved);
        for (const start of Object.keys(resolved)) {
          let above: string | null | undefined = start;
          for (let steps = 0; above; steps++) {
            expect(steps).toBeLessThanOrEqual(given.length);
            expect(Object.hasOwn(resolved, above)).toBe(true);
            above = resolved[above];
          }
        }
      }),
    );
  });
});

describe('spanRows', () => {
  it('lists the tree from top to bottom, in the order that spans started', () => {
    const rows = rowsOf([
      span('late', 'root', '2026-01-03'),
      span('unknown', 'root'),
      span('root', null, '2026-01-01'),
      span('early', 'root', '2026-01-02'),
      span('second', null, '2026-01-02'),
      span('leaf', 'late', '2026-01-04'),
      span('twin', 'late', '2026-01-04'),
    ]);
    expect(rows.map(({ span: { span_id }, depth }) => [span_id, depth])).toEqual([
      ['root', 0],
      ['early', 1],
      ['late', 1],
      ['leaf', 2],
      ['twin', 2],
      ['unknown', 1],
      ['second', 0],
    ]);
  });

  it('keeps every field and leaves what it was given as it was', () => {
    const given = Object.freeze([Object.freeze({ ...span('a', 'gone'), name: 'x' })]);
    expect(rowsOf(given)).toEqual([{ span: { ...span('a'), name: 'x' }, depth: 0 }]);
  });

  it('has no limit to its depth, and takes it in steps', () => {
    const deep = Array.from({ length: 10_000 }, (_, i) => span(`s${i}`, i === 0 ? null : `s${i - 1}`)).reverse();
    const listing = spanRows(deep);
    let steps = 0;
    let step = listing.next();
    for (; !step.done; step = listing.next()) steps++;
    expect(step.value.map(({ depth }) => depth)).toEqual(deep.map((_, i) => i));
    expect(steps).toBe(1 + 10_000 / 250);
  });

  it('has no limit to the length of a circle or of a list', () => {
    const circle = Array.from({ length: 10_000 }, (_, i) => span(`s${i}`, `s${(i + 9_999) % 10_000}`));
    expect(resolveParents(circle).filter(({ parent_span_id }) => parent_span_id === null)).toEqual([span('s0')]);
    const wide = [span('root'), ...Array.from({ length: 130_000 }, (_, i) => span(`s${i}`, 'root'))];
    expect(rowsOf(wide)).toHaveLength(130_001);
  });
});
