import { besideText, type Find, findOneText, once, type Sql, type SqlValue } from './sql.ts';

/** Keys per statement. Few sizes, so that there are few prepared statements; the last one is filled up with nulls. */
const KEYS_PER_STATEMENT = [128, 64, 32, 16, 8] as const;
/** Fewer keys than this are looked up one by one, which takes as long (decision 032). */
const FEW_KEYS = 8;

export type FindKey = readonly SqlValue[];
type FindPlan = { byOne: string; byMany: readonly { size: number; text: string }[] };

function planFind(find: Find): FindPlan {
  const { table, select, by, beside } = find;
  const joined = beside ? besideText(beside) : '';
  const names = Object.keys(by);
  const places = names.map(() => '?').join(', ');
  const same = names.map((name, i) => `found.${name} = wanted.column${i + 2}`).join(' AND ');
  const findText = (size: number) => {
    const keys = Array.from({ length: size }, (_, place) => `(${place}, ${places})`).join(', ');
    // CROSS JOIN fixes the order of the tables, so that each key is one index search.
    return `SELECT wanted.column1 AS place, ${select} FROM (VALUES ${keys}) AS wanted CROSS JOIN ${table} AS found ON ${same}${joined}`;
  };
  return {
    byOne: findOneText(find),
    byMany: KEYS_PER_STATEMENT.map((size) => ({ size, text: findText(size) })),
  };
}

const planFindOnce = once(planFind);

/** A statement for some of the keys, with the position of the first. */
export type FindChunk = { statement: Sql; from: number };

export function findChunks(find: Find, keys: readonly FindKey[]): FindChunk[] {
  const { byOne, byMany } = planFindOnce(find);
  const how = find.packed ? { packed: find.packed } : {};
  if (keys.length < FEW_KEYS) return keys.map((values, from) => ({ statement: { text: byOne, values }, from }));
  const width = Object.keys(find.by).length;
  const chunks: FindChunk[] = [];
  for (let from = 0; from < keys.length; ) {
    const left = keys.length - from;
    const { size, text } = byMany.findLast((chunk) => chunk.size >= left) ?? (byMany[0] as FindPlan['byMany'][0]);
    const values = keys.slice(from, from + size).flat();
    while (values.length < size * width) values.push(null);
    chunks.push({ statement: { text, values, ...how }, from });
    from += size;
  }
  return chunks;
}

/** Returns one result for each of `count` keys, from the rows that each chunk found. */
export function placeRows<T>(
  chunks: readonly FindChunk[],
  rowsOfChunk: (chunk: FindChunk, index: number) => readonly unknown[],
  count: number,
): (T | undefined)[] {
  const found = new Array<T | undefined>(count).fill(undefined);
  chunks.forEach((chunk, index) => {
    for (const row of rowsOfChunk(chunk, index))
      found[chunk.from + ((row as { place?: number }).place ?? 0)] = row as T;
  });
  return found;
}
