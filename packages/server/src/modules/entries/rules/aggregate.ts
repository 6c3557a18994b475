import { canonicalJson, jsonBytes, jsonDepth } from '@mem-service/contract';

export type AggregateSpec = {
  op: 'count' | 'sum' | 'mean' | 'min' | 'max' | 'stats';
  /** Dotted paths within a row, or within a value for `row_path`; `.` and `$` are the row or value itself. */
  field?: string | undefined;
  group_by?: string | undefined;
  row_path?: string | undefined;
};

export type AggregateMeasures = {
  count?: number;
  n?: number;
  sum?: number | null;
  mean?: number | null;
  min?: number | null;
  max?: number | null;
};

export type Aggregate = AggregateMeasures & {
  op: AggregateSpec['op'];
  field: string | null;
  row_path: string | null;
  total_rows: number;
  group_by?: string;
  groups?: (AggregateMeasures & { key: string })[];
};

/** Texts nested deeper stay text: handling a group's key needs a stack as deep as the value. */
const MAX_TEXT_DEPTH = 128;

export function aggregate(values: Iterable<unknown>, spec: AggregateSpec): Aggregate {
  const reduction = createAggregate(spec);
  for (const value of values) reduction.add(value);
  return reduction.result();
}

/** About as much as a group takes in an answer beside its key. */
const GROUP_BYTES = 128;

/** `bytes`: about how much the groups take so far. */
type ValueReduction = { add(value: unknown): void; bytes(): number; result(): Aggregate };

/** Takes values one by one, so that any number of entries can be reduced in the memory of the groups. */
export function createAggregate(spec: AggregateSpec): ValueReduction {
  const { op, field, group_by, row_path } = spec;
  const fieldPath = pathOf(field);
  const groupPath = pathOf(group_by);
  const rowPath = pathOf(row_path);
  const all = emptyTally();
  const groups = new Map<string, ValueTally>();
  let bytes = 0;

  function tallyOf(row: unknown): ValueTally {
    const key = keyText(lookUp(row, groupPath));
    const known = groups.get(key);
    if (known) return known;
    const made = emptyTally();
    groups.set(key, made);
    bytes += GROUP_BYTES + jsonBytes(key);
    return made;
  }

  return {
    bytes: () => bytes,
    add(value) {
      for (const row of rowsOf(value, rowPath)) {
        const number = op === 'count' ? undefined : numberOf(lookUp(row, fieldPath));
        addTo(all, number);
        if (group_by !== undefined) addTo(tallyOf(row), number);
      }
    },
    result() {
      const head = { op, field: field ?? null, row_path: row_path ?? null, total_rows: all.rows };
      if (group_by === undefined) return { ...head, ...measures(op, all) };
      const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
      return { ...head, group_by, groups: sorted.map(([key, tally]) => ({ key, ...measures(op, tally) })) };
    },
  };
}

function pathOf(dotted: string | undefined): string[] {
  return dotted === undefined || dotted === '.' || dotted === '$' ? [] : dotted.split('.');
}

/**
 * A list gives its elements, regardless of `path`; otherwise a list at `path` gives its elements; anything else is one row.
 */
function rowsOf(value: unknown, path: readonly string[]): readonly unknown[] {
  const decoded = typeof value === 'string' ? decode(value) : value;
  if (Array.isArray(decoded)) return decoded;
  const found = lookUp(decoded, path);
  return Array.isArray(found) ? found : [decoded];
}

/** Most texts are prose; throwing and catching for each of them would cost more than everything else. */
const JSON_START = /^\s*[[{"\-\dtfn]/;

function decode(text: string): unknown {
  if (!JSON_START.test(text) || jsonDepth(text) > MAX_TEXT_DEPTH) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function lookUp(row: unknown, path: readonly string[]): unknown {
  let found = row;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    if (Array.isArray(found) && name === 'length') return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}

const NUMERIC = /^[-+.\deE]+$/;

/** The number that a value is or spells out; undefined for anything else. */
function numberOf(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const text = typeof value === 'string' ? value.trim() : '';
  const number = typeof value === 'number' ? value : NUMERIC.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

function keyText(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  return typeof value === 'object' ? canonicalJson(JSON.stringify(value)) : String(value);
}

/** `sum` plus `lost`, the digits that floating-point addition would drop (Neumaier). */
type ValueTally = { rows: number; n: number; sum: number; lost: number; min: number; max: number };

function emptyTally(): ValueTally {
  return { rows: 0, n: 0, sum: 0, lost: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
}

function addTo(tally: ValueTally, number: number | undefined): void {
  tally.rows++;
  if (number === undefined) return;
  const sum = tally.sum + number;
  tally.lost += Math.abs(tally.sum) >= Math.abs(number) ? tally.sum - sum + number : number - sum + tally.sum;
  tally.sum = sum;
  tally.n++;
  if (number < tally.min) tally.min = number;
  if (number > tally.max) tally.max = number;
}

function measures(op: AggregateSpec['op'], tally: ValueTally): AggregateMeasures {
  if (op === 'count') return { count: tally.rows };
  const { n } = tally;
  const sum = tally.sum + tally.lost;
  const all = { sum: finite(sum), mean: finite(sum / n), min: finite(tally.min), max: finite(tally.max) };
  return op === 'stats' ? { n, ...all } : { [op]: all[op], n };
}

/** JSON has no infinity: an overflow, or an aggregate of no numbers, is null. */
function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}
