import type { ForeignEntry } from './foreign.ts';
import type { JsonObject } from './json-objects.ts';

const MAX_NUMBERS = 10;

/** Counts the records of a file that hold nothing to import, so that the report can name them. */
export class LeftOutRecords {
  readonly #numbers = new Map<string, { count: number; first: number[] }>();

  /** `no` counts the records, or the lines, of the file from 1. */
  add(file: string, no: number): void {
    const known = this.#numbers.get(file) ?? { count: 0, first: [] };
    known.count++;
    if (known.first.length < MAX_NUMBERS) known.first.push(no);
    this.#numbers.set(file, known);
  }

  /** `why` is what they lack, such as `no text`. */
  notes(why: string): string[] {
    return [...this.#numbers].map(([file, { count, first }]) => {
      const more = count > first.length ? ', …' : '';
      return `${file}: ${count} ${count === 1 ? 'record' : 'records'} left out, number ${first.join(', ')}${more}: ${why}`;
    });
  }
}

/** Converts records, and counts those that give nothing. */
export type TakeRecords = (
  records: readonly JsonObject[],
  toEntries: (record: JsonObject, i: number) => ForeignEntry[],
) => ForeignEntry[];

/** For systems whose records are spread over nested lists, where a number would say little. */
export function newTaker(): { take: TakeRecords; notes: () => string[] } {
  let empty = 0;
  return {
    take: (records, toEntries) =>
      records.flatMap((record, i) => {
        const entries = toEntries(record, i);
        if (entries.length === 0) empty++;
        return entries;
      }),
    notes: () => (empty === 0 ? [] : [`${empty} ${empty === 1 ? 'record' : 'records'} without content left out`]),
  };
}
