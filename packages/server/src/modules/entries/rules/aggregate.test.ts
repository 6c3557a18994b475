import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AggregateSpec, aggregate, createAggregate } from './aggregate.ts';

const numbers = (op: AggregateSpec['op'], values: unknown[], more: Partial<AggregateSpec> = {}) => {
  const {
    op: _op,
    field: _field,
    row_path: _row_path,
    total_rows: _rows,
    ...rest
  } = aggregate(values, { op, field: 'x', ...more });
  return rest;
};

describe('rows', () => {
  const rows = (values: unknown[], row_path?: string) => aggregate(values, { op: 'count', row_path }).total_rows;

  it('are one an entry, or one an element of a list', () => {
    expect(rows([{ x: 1 }, 'text', 5, null])).toBe(4);
    expect(rows([[1, 2, 3], { x: 1 }, []])).toBe(4);
  });

  it('are read out of strings that hold JSON', () => {
    expect(rows(['[1,2,3]', '{"x":1}', '[1,2'])).toBe(5);
    expect(numbers('sum', ['{"x":1}', '[{"x":2},{"x":3}]', 'x'])).toEqual({ sum: 6, n: 3 });
  });

  it('are the list at row_path, or the whole value where there is none', () => {
    expect(rows([{ a: { list: [1, 2, 3] } }], 'a.list')).toBe(3);
    expect(rows([{ a: { list: [1, 2, 3] } }, { a: 1 }, { a: { list: {} } }], 'a.list')).toBe(5);
  });

  it('are the elements of a bare list, whatever row_path says', () => {
    for (const path of ['.', '$', 'wrong', 'wrong.name']) expect(rows([[1, 2], { x: 1 }], path)).toBe(3);
  });

  it('are never found on a prototype', () => {
    expect(numbers('count', [{}, []], { group_by: 'constructor.name' })).toMatchObject({
      groups: [{ key: 'null', count: 1 }],
    });
    const own = JSON.parse('{"__proto__":{"x":2}}');
    expect(numbers('sum', [own, {}], { field: '__proto__.x' })).toEqual({ sum: 2, n: 1 });
    expect(numbers('sum', [{ list: [1, 2] }, { text: 'abc' }], { field: 'list.length' })).toEqual({ sum: 0, n: 0 });
    expect(numbers('sum', [{ list: [1, 2] }], { field: 'list.1' })).toEqual({ sum: 2, n: 1 });
  });
});

describe('numbers', () => {
  it('are numbers and numeric strings; the rest is left out and not taken as zero', () => {
    const values = [1, '2', ' 3.5 ', '-1e1', '', ' ', 'x', '1x', '0x10', 'Infinity', true, false, null, [], {}, [4]];
    expect(
      numbers(
        'stats',
        values.map((x) => ({ x })),
      ),
    ).toEqual({ n: 4, sum: -3.5, mean: -0.875, min: -10, max: 3.5 });
    expect(numbers('mean', [{ x: 4 }, { x: 'none' }, {}])).toEqual({ mean: 4, n: 1 });
  });

  it('are given by op', () => {
    const values = [{ x: 1 }, { x: 2 }, { x: 6 }];
    expect(numbers('count', values)).toEqual({ count: 3 });
    expect(numbers('sum', values)).toEqual({ sum: 9, n: 3 });
    expect(numbers('mean', values)).toEqual({ mean: 3, n: 3 });
    expect(numbers('min', values)).toEqual({ min: 1, n: 3 });
    expect(numbers('max', values)).toEqual({ max: 6, n: 3 });
    expect(numbers('stats', values)).toEqual({ n: 3, sum: 9, mean: 3, min: 1, max: 6 });
  });

  it('of nothing are n 0, sum 0 and null', () => {
    expect(numbers('stats', [])).toEqual({ n: 0, sum: 0, mean: null, min: null, max: null });
    expect(numbers('sum', [{}])).toEqual({ sum: 0, n: 0 });
    for (const op of ['mean', 'min', 'max'] as const) expect(numbers(op, [{}])).toEqual({ [op]: null, n: 0 });
    expect(numbers('count', [])).toEqual({ count: 0 });
  });

  it('may be rows themselves', () => {
    expect(numbers('sum', [[1, 2, '3']], { field: '.' })).toEqual({ sum: 6, n: 3 });
    expect(numbers('sum', ['4'], { field: '$' })).toEqual({ sum: 4, n: 1 });
  });

  it('add up without losing digits', () => {
    expect(numbers('sum', Array(10).fill({ x: 0.1 }))).toEqual({ sum: 1, n: 10 });
    expect(
      numbers(
        'sum',
        [1e100, 1, -1e100].map((x) => ({ x })),
      ),
    ).toEqual({ sum: 1, n: 3 });
    expect(
      numbers(
        'sum',
        [1e308, 1e308].map((x) => ({ x })),
      ),
    ).toEqual({ sum: null, n: 2 });
  });

  it('add up exactly as long as integers stay exact, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (list) => {
        const sum = Number(list.reduce((total, one) => total + BigInt(one), 0n));
        const values = list.map((x) => ({ x }));
        expect(numbers('sum', values)).toEqual({ sum, n: list.length });
        expect(numbers('sum', values.toReversed())).toEqual({ sum, n: list.length });
      }),
    );
  });
});

describe('groups', () => {
  it('are sorted by key as text and measured separately', () => {
    const values = [
      { g: 'b', x: 1 },
      { g: 'a', x: 2 },
      { g: 'b', x: '3' },
      { g: 'c', x: 'none' },
    ];
    expect(aggregate(values, { op: 'sum', field: 'x', group_by: 'g' })).toEqual({
      op: 'sum',
      field: 'x',
      row_path: null,
      total_rows: 4,
      group_by: 'g',
      groups: [
        { key: 'a', sum: 2, n: 1 },
        { key: 'b', sum: 4, n: 2 },
        { key: 'c', sum: 0, n: 0 },
      ],
    });
  });

  it('have text keys: null for what is missing, sorted JSON for objects', () => {
    const keys = [10, 9, true, null, undefined, { b: 1, a: [2] }, { a: [2], b: 1 }, 'x', '10'];
    const { groups } = aggregate(
      keys.map((g) => ({ g })),
      { op: 'count', group_by: 'g' },
    );
    expect(groups).toEqual([
      { key: '10', count: 2 },
      { key: '9', count: 1 },
      { key: 'null', count: 2 },
      { key: 'true', count: 1 },
      { key: 'x', count: 1 },
      { key: '{"a":[2],"b":1}', count: 2 },
    ]);
  });

  it('hold every row once', () => {
    const row = fc.record({ g: fc.jsonValue(), x: fc.jsonValue() }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const { groups = [], total_rows } = aggregate([rows], { op: 'count', group_by: 'g' });
        expect(groups.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(total_rows);
        expect(total_rows).toBe(rows.length);
        const keys = groups.map(({ key }) => key);
        expect(keys).toEqual([...new Set(keys)].sort());
      }),
    );
  });
});

describe('createAggregate', () => {
  it('may be asked between values', () => {
    const reduction = createAggregate({ op: 'max', field: 'x' });
    reduction.add({ x: 1 });
    expect(reduction.result()).toMatchObject({ max: 1, n: 1, total_rows: 1 });
    reduction.add({ x: 2 });
    expect(reduction.result()).toMatchObject({ max: 2, n: 2, total_rows: 2 });
  });

  it('survives any value, however deep its text', () => {
    const deep = `{"g":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(aggregate([deep], { op: 'count', group_by: 'g' }).groups).toEqual([{ key: 'null', count: 1 }]);
    const path = fc.oneof(fc.constantFrom('.', '$', 'a.b', '__proto__', 'constructor', '..', ''), fc.string());
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), path, (values, field) => {
        const result = aggregate(values, { op: 'stats', field, group_by: field, row_path: field });
        expect(JSON.parse(JSON.stringify(result))).toEqual(result);
      }),
    );
  });
});
