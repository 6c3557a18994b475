import type { JsonObject } from '@mem-service/contract';
import { attachRaw, JsonText, jsonDepth, shapes } from '@mem-service/contract';
import type { Row, SqlValue } from '../../../db/index.ts';
import type { ExportedTable } from '../../../kernel/index.ts';
import { columnProblem } from './columns.ts';

export const FORMAT = 'mem-export';
/** Of the entries of one branch, which go in beside others. */
export const ENTRIES_FORMAT = 'mem-entries';
export const FORMAT_VERSION = 1;

export class LineProblem extends Error {
  override name = 'LineProblem';
}

const namesOf = ({ columns }: ExportedTable) => Object.keys(columns).filter((name) => name !== 'account_id');

/** JSON that fits in a line as it is; any other is written as a string. */
const isSingleLineJson = (text: string) => /^[[{]/.test(text) && !/[\n\r]/.test(text);

function memberText({ json }: ExportedTable, name: string, value: SqlValue): string {
  if (typeof value === 'string' && json.includes(name) && isSingleLineJson(value)) return value;
  return JSON.stringify(value);
}

/** One row as one line. Documents keep their bytes. */
export function recordText(table: ExportedTable, row: Row): string {
  const members = namesOf(table).map((name) => `,"${name}":${memberText(table, name, row[name] ?? null)}`);
  return `{"record":"${table.kind}"${members.join('')}}`;
}

/** Documents are nested a level or two down. */
const MAX_DEPTH = shapes.MAX_JSON_DEPTH + 8;

function parseLine(text: string): JsonObject & { record: string } {
  if (!text.isWellFormed()) throw new LineProblem('is not well-formed Unicode');
  if (jsonDepth(text) > MAX_DEPTH) throw new LineProblem(`is nested deeper than ${MAX_DEPTH} levels`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new LineProblem(`is not JSON: ${(error as Error).message}`);
  }
  const { record } = (parsed ?? {}) as JsonObject;
  if (typeof record !== 'string' || Array.isArray(parsed)) throw new LineProblem('is not an object with a `record`');
  return parsed as JsonObject & { record: string };
}

const pathsOf = new WeakMap<ExportedTable, string[][]>();

function documentPaths(table: ExportedTable): string[][] {
  const known = pathsOf.get(table) ?? table.json.map((name) => [name]);
  pathsOf.set(table, known);
  return known;
}

export type ExportRecord = { table: ExportedTable; row: Row };

/** Parses a line. Throws a LineProblem where an export cannot contain it. */
export function readRecord(tables: readonly ExportedTable[], text: string): ExportRecord {
  const parsed = parseLine(text);
  const table = tables.find(({ kind }) => kind === parsed.record);
  if (!table) throw new LineProblem(`is a record of the unknown kind ${JSON.stringify(parsed.record)}`);
  attachRaw(text, parsed, documentPaths(table));
  const names = namesOf(table);
  const stranger = Object.keys(parsed).find((name) => name !== 'record' && !names.includes(name));
  if (stranger !== undefined) throw new LineProblem(`has the unknown member ${JSON.stringify(stranger)}`);
  const row: Row = {};
  for (const name of names) row[name] = readMember(table, name, parsed[name]);
  for (const name of names) {
    const problem = columnProblem(table, name, row);
    if (problem !== undefined) throw new LineProblem(problem);
  }
  const problem = table.check?.(row);
  if (problem !== undefined) throw new LineProblem(problem);
  return { table, row };
}

function readMember(table: ExportedTable, name: string, given: unknown): SqlValue {
  const wrong = (what: string) => new LineProblem(`${name} ${what}`);
  if (given === undefined) throw wrong('is missing');
  const value = given instanceof JsonText ? documentOf(given) : given;
  if (value === null && table.nullable.includes(name)) return null;
  switch (table.columns[name]) {
    case 'int':
      if (Number.isSafeInteger(value)) return value as number;
      throw wrong('must be a whole number');
    case 'real':
      if (typeof value === 'number' && Number.isFinite(value)) return value;
      throw wrong('must be a number');
    default:
      if (typeof value !== 'string') throw wrong('must be a text');
      // PostgreSQL text cannot hold NUL.
      if (value.includes('\0') || !value.isWellFormed()) throw wrong('must be well-formed Unicode without NUL');
      if (table.json.includes(name) && !isDocument(value)) throw wrong('must be JSON: an object or a list');
      return value;
  }
}

/** A document that does not fit in a line is stored as a string. */
function documentOf(given: JsonText): unknown {
  const { value } = given;
  return typeof value === 'object' && value !== null ? given.text : value;
}

function isDocument(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

export type ExportHeader = {
  record: 'header';
  format: typeof FORMAT;
  version: number;
  seq: number;
  audit_no: number;
  /** The hash of the newest audit line; empty where there is none. */
  audit_hash: string;
  item_no: number;
  last_at: number;
  counts: Record<string, number>;
};

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

/** Parses the first line. It contains no export time, so that equal accounts have equal exports. */
export function readHeader(text: string): ExportHeader {
  const header = parseLine(text) as unknown as ExportHeader;
  if (header.record === 'header' && (header.format as string) === ENTRIES_FORMAT)
    throw new LineProblem('begins the entries of a branch: entries.import takes them, or mem import the file');
  if (header.record !== 'header' || header.format !== FORMAT)
    throw new LineProblem(`is not the header of an export: {"record":"header","format":"${FORMAT}",…}`);
  if (header.version !== FORMAT_VERSION)
    throw new LineProblem(
      `is of version ${JSON.stringify(header.version)} of the format; this service knows ${FORMAT_VERSION}`,
    );
  const wrong = (['seq', 'audit_no', 'item_no', 'last_at'] as const).find((name) => !isCount(header[name]));
  if (wrong) throw new LineProblem(`${wrong} must be a whole number`);
  if (typeof header.audit_hash !== 'string') throw new LineProblem('audit_hash must be a text');
  if (typeof header.counts !== 'object' || header.counts === null || !Object.values(header.counts).every(isCount))
    throw new LineProblem('counts must hold the number of records of each kind');
  const { record, format, version, seq, audit_no, audit_hash, item_no, last_at, counts } = header;
  return { record, format, version, seq, audit_no, audit_hash, item_no, last_at, counts };
}
