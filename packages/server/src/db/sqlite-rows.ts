import type { Row, SqlValue } from './sql.ts';

export type RowReader = (row: Row, values: SqlValue[]) => void;

/**
 * A function that appends the values of a row in the order of the columns. Compiled for each statement, because rows of
 * different tables have different shapes: a loop over names looks each of them up again.
 */
export function compileRowReader(names: readonly string[]): RowReader {
  const members = names.map((name) => `row[${JSON.stringify(name)}] ?? null`);
  try {
    return new Function('row', 'values', `values.push(${members.join(', ')});`) as RowReader;
  } catch {
    // The runtime does not allow compiling text.
    return (row, values) => {
      for (const name of names) values.push(row[name] ?? null);
    };
  }
}
