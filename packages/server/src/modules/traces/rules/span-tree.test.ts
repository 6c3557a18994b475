import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveParents, spanRows, spanTree, type TreeSpan } from './span-tree.ts';

const span = (span_id: string, parent_span_id: string | null = null, started_at: string | null = null): TreeSpan => ({
  span_id,
  parent_span_id,
  started_at,
});
const parents = (spans: readonly TreeSpan[]) =>
  Object.fromEntries(resolveParents(spans).map(({ span_id, parent_span_id }) => [span_id, parent_span_id]));

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

describe('spanTree', () => {
  it('nests spans in the order they started', () => {
    const tree = spanTree([
      span('late', 'root', '2026-01-03'),
      span('unknown', 'root'),
      span('root', null, '2026-01-01'),
      span('early', 'root', '2026-01-02'),
      span('second', null, '2026-01-02'),
      span('leaf', 'late', '2026-01-04'),
      span('twin', 'late', '2026-01-04'),
    ]);
    const names = (nodes: typeof tree): unknown[] => nodes.map(({ span_id, children }) => [span_id, names(children)]);
    expect(names(tree)).toEqual([
      [
        'root',
        [
          ['early', []],
          [
            'late',
            [
              ['leaf', []],
              ['twin', []],
            ],
          ],
          ['unknown', []],
        ],
      ],
      ['second', []],
    ]);
  });

  it('keeps every field and leaves what it was given as it was', () => {
    const given = Object.freeze([Object.freeze({ ...span('a', 'gone'), name: 'x' })]);
    expect(spanTree(given)).toEqual([{ ...span('a'), name: 'x', children: [] }]);
  });

  it('has no limit to its depth', () => {
    const deep = Array.from({ length: 10_000 }, (_, i) => span(`s${i}`, i === 0 ? null : `s${i - 1}`)).reverse();
    let depth = 0;
    for (let node = spanTree(deep)[0]; node; node = node.children[0]) depth++;
    expect(depth).toBe(10_000);
    const rows = spanRows(deep);
    expect(rows.map((row) => row.depth)).toEqual(rows.map((_, i) => i));
    expect(JSON.parse(JSON.stringify(rows))).toEqual(rows);
  });

  it('has no limit to the length of a circle or of a list', () => {
    const circle = Array.from({ length: 10_000 }, (_, i) => span(`s${i}`, `s${(i + 9_999) % 10_000}`));
    expect(resolveParents(circle).filter(({ parent_span_id }) => parent_span_id === null)).toEqual([span('s0')]);
    const wide = [span('root'), ...Array.from({ length: 130_000 }, (_, i) => span(`s${i}`, 'root'))];
    expect(spanRows(wide)).toHaveLength(130_001);
  });
});

describe('spanRows', () => {
  it('lists the tree from top to bottom', () => {
    const rows = spanRows([span('b', 'a', '2'), span('a', null, '1'), span('c', 'b', '3'), span('d', 'a', '4')]);
    expect(rows).toEqual([
      { ...span('a', null, '1'), depth: 0 },
      { ...span('b', 'a', '2'), depth: 1 },
      { ...span('c', 'b', '3'), depth: 2 },
      { ...span('d', 'a', '4'), depth: 1 },
    ]);
  });
});
