import { stringify } from '@mem-service/contract';
import type { JsonObject } from '../session.ts';

export type ExportFormat = 'jsonl' | 'json' | 'csv';

/** The rows of a value: its elements, those of the list at `row_path` in it, or the value itself. */
export function recordsOf(value: unknown, row_path?: string): unknown[] {
  if (Array.isArray(value)) return value;
  if (row_path === undefined || row_path === '.') return [value];
  let at: unknown = value;
  for (const step of row_path.split('.'))
    at = typeof at === 'object' && at !== null ? (at as JsonObject)[step] : undefined;
  return Array.isArray(at) ? at : at === undefined ? [] : [at];
}

export function render(records: readonly unknown[], format: ExportFormat): string {
  if (format === 'json') return `${stringify(records)}\n`;
  if (format === 'jsonl') return records.map((record) => `${stringify(record)}\n`).join('');
  return toCsv(records);
}

/** Columns in order of first appearance; nested values are written as JSON. */
function toCsv(records: readonly unknown[]): string {
  const rows = records.map((record) => (isObject(record) ? record : { value: record }));
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((column) => cell(row[column])).join(','));
  return `${[columns.map(quote).join(','), ...lines].join('\r\n')}\r\n`;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getPrototypeOf(value) === Object.prototype;

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return quote(typeof value === 'string' ? value : stringify(value));
}

const quote = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
