import { type Insert, once, type Update } from './sql.ts';
import { compileRowReader, type RowReader } from './sqlite-rows.ts';

/**
 * Rows that go with one call: 32 small ones take 55 µs, and 155 one by one (bench/inside/tricks.mjs). Few sizes, so that
 * statements stay few.
 */
const ROWS_PER_CALL = [32, 16, 8, 4, 2, 1] as const;

type InsertPlan = { readRow: RowReader; returning: boolean; calls: readonly { size: number; text: string }[] };

function planInsert({ table, columns, suffix = '', singly = false, within }: Insert): InsertPlan {
  const names = Object.keys(columns);
  const row = `(${names.map(() => '?').join(', ')})`;
  const into = `INSERT INTO ${table} (${names.join(', ')})`;
  const calls = (singly ? [1] : ROWS_PER_CALL).map((size) => ({
    size,
    text: `${into} ${rowsText(`VALUES ${new Array(size).fill(row).join(', ')}`, names, within)} ${suffix}`,
  }));
  return { readRow: compileRowReader(names), returning: suffix.includes('RETURNING'), calls };
}

function rowsText(values: string, names: readonly string[], within: Insert['within']): string {
  if (!within) return values;
  const same = within.by.map((name) => `known.${name} = column${names.indexOf(name) + 1}`).join(' AND ');
  const columns = names.map((_, i) => `column${i + 1}`).join(', ');
  return `SELECT ${columns} FROM (${values}) WHERE EXISTS (SELECT 1 FROM ${within.table} AS known WHERE ${same})`;
}

function planUpdate({ table, set = {}, add = {}, by }: Update): { text: string; readRow: RowReader } {
  const places = (columns: object) => Object.keys(columns).map((name) => `${name} = ?`);
  const sets = [...places(set), ...Object.keys(add).map((name) => `${name} = ${name} + ?`)];
  const text = `UPDATE ${table} SET ${sets.join(', ')} WHERE ${places(by).join(' AND ')}`;
  return { text, readRow: compileRowReader(Object.keys({ ...set, ...add, ...by })) };
}

export const planInsertOnce = once(planInsert);
export const planUpdateOnce = once(planUpdate);
