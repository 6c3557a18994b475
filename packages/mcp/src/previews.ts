import { shortFigure, stringify } from '@mem-service/contract';
import type { JsonObject } from './session.ts';

/** The length to which texts in lists are cut. */
export const PREVIEW_CHARS = 2000;

/** Members that only programs use. */
const LEFT_OUT = new Set([
  'content_hash',
  'hash',
  'immutable_trace_id',
  'integrity_chain',
  'parent_hash',
  'seq',
  'session_id',
  'standing_no',
  'tree_hash',
]);

const isEmpty = (value: unknown) =>
  value === null || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** The usual values of members; only other values are shown. */
const USUAL: Readonly<Record<string, unknown>> = {
  branch: 'main',
  shared: true,
  is_artifact: false,
  deleted: false,
  outcome_count: 0,
  success_count: 0,
  failure_count: 0,
  evidence_success: 0,
  evidence_failure: 0,
  recall_count: 0,
  tier: 3,
  has_more: false,
  include_descendants: false,
  truncated: false,
  entities_truncated: false,
  below: false,
  complete: true,
  value_truncated: false,
  compact: false,
  include_discredited: false,
  adaptive_k: false,
  is_full: false,
  running: false,
  kept: false,
  input_truncated: false,
  output_truncated: false,
  unsigned: false,
  causes_complete: true,
  is_protected: false,
  is_counted: true,
  is_required: false,
  is_current: true,
  is_dismissed: false,
  has_more_reviews: false,
  dry_run: false,
  has_left: false,
  discoverable: false,
};

const isDigits = /^-?\d+\.\d{3,}(e-?\d+)?$/;

/** Two digits say what a confidence says. */
export const twoDigits = (value: number): number => Math.round(value * 100) / 100;

const rounded = (value: unknown): unknown =>
  typeof value === 'number' && isDigits.test(String(value)) ? twoDigits(value) : value;

/** Shares and what was reckoned of them, whose further digits say nothing. */
const isFigure = /^(rate|low|high|ratio|difference|p|chance|score)$|_(rate|ratio|error)$/;

function roundedMember(name: string, value: number): unknown {
  if (/confidence|^evidence_|^weight$/.test(name)) return rounded(value);
  return isFigure.test(name) ? shortFigure(value) : value;
}

const short = (name: string, value: unknown): unknown => {
  if (typeof value === 'number') return roundedMember(name, value);
  return name === 'provenance' ? trimmed(value as JsonObject) : value;
};

/** Stored values: nothing about them is usual, and null is a value too. */
const VALUES = new Set(['value', 'old_value', 'new_value', 'proposed_value']);

const isUsual = (name: string, value: unknown) => !VALUES.has(name) && (isEmpty(value) || USUAL[name] === value);

const NOTHING: ReadonlySet<string> = new Set();

type MemberChange = (name: string, value: unknown) => unknown;

/** Drops these members, and those that are empty or usual, or become it. In one pass: every call makes an answer. */
function withoutUsual(row: JsonObject, leftOut: ReadonlySet<string>, change?: MemberChange): JsonObject {
  const members: [string, unknown][] = [];
  for (const [name, value] of Object.entries(row)) {
    if (leftOut.has(name) || isUsual(name, value)) continue;
    const shown = short(name, value);
    const changed = change ? change(name, shown) : shown;
    if (!isUsual(name, changed)) members.push([name, changed]);
  }
  return Object.fromEntries(members);
}

/** Drops members that are empty, usual or only for programs. Stored data is not changed. */
export const trimmed = (row: JsonObject): JsonObject => withoutUsual(row, LEFT_OUT);

/** What callers gave; it is shown as it is. */
const GIVEN = new Set([...VALUES, 'arguments', 'attributes', 'choices', 'inline', 'input', 'output']);

/** Changes everything within, except for what callers gave. What has become empty by it is dropped too. */
function within(value: unknown, leftOut: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => within(one, leftOut));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return withoutUsual(value as JsonObject, leftOut, (name, one) =>
    GIVEN.has(name) ? one : within(name === 'confidence_changes' ? roundedRows(one) : one, leftOut),
  );
}

/** Its members `before` and `after` do not say in their names that they are confidences. */
const roundedRows = (rows: unknown): unknown =>
  Array.isArray(rows)
    ? rows.map((row) =>
        Object.fromEntries(Object.entries(row as JsonObject).map(([name, one]) => [name, rounded(one)])),
      )
    : rows;

export const trimmedWithin = (value: unknown): unknown => within(value, LEFT_OUT);

/**
 * What every answer goes through: without what is empty or usual. The rows of a table are as short already. An answer's
 * only list is what was asked for, so it is shown even if it is empty.
 */
export function shortAnswer(json: JsonObject): JsonObject {
  if ('columns' in json) return json;
  const short = within(json, NOTHING) as JsonObject;
  const [list, another] = Object.keys(json).filter((name) => Array.isArray(json[name]));
  return list === undefined || another !== undefined || list in short ? short : { ...short, [list]: [] };
}

/** A row of a list: trimmed, with lists replaced by their length and long texts cut. */
export function previewRow(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
  const members = Object.entries(trimmed(row as JsonObject));
  return cutMembers(
    Object.fromEntries(members.map(([name, value]) => [name, name === 'value' ? value : shortList(name, value)])),
  );
}

/** Lists without which nobody can judge the row. */
const JUDGED_BY = new Set(['matcher', 'memory', 'sources']);

const shortList = (name: string, value: unknown) => (JUDGED_BY.has(name) ? trimmedWithin(value) : counted(value));

const counted = (value: unknown) =>
  Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null) ? value.length : value;

/** Instructions are of no use in part. */
const WHOLE = new Set(['handover']);

/** Cuts long members, and adds their length and how to read them in full. */
export function cutMembers(row: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(row)) {
    const isText = typeof value === 'string';
    const text = isText ? value : name === 'value' ? stringify(value) : '';
    if (text === undefined || text.length <= PREVIEW_CHARS || WHOLE.has(name)) {
      out[name] = value;
      continue;
    }
    out[name] = text.slice(0, PREVIEW_CHARS).toWellFormed();
    out[`${name}_truncated`] = true;
    out[`${name}_chars`] = text.length;
    if (!isText) out[`${name}_format`] = 'json';
    out[`full_${name}`] = wayToWhole(row);
  }
  return out;
}

function wayToWhole({ entity_path, key, version, trace_id, branch }: JsonObject): string {
  if (entity_path === undefined)
    return trace_id === undefined ? 'not available' : `mem_get_trace ${stringify({ trace_id })}`;
  const elsewhere = branch === undefined || branch === 'main' ? {} : { branch };
  return `mem_read ${stringify({ entity_path, key, version, ...elsewhere })}`;
}

/** Applies `previewRow` to every list of the answer, and drops what is null or only for programs beside them. */
export function previewLists(answer: JsonObject): JsonObject {
  const lists = Object.entries(answer).filter(([, value]) => Array.isArray(value));
  return {
    ...trimmed(answer),
    ...Object.fromEntries(lists.map(([name, rows]) => [name, (rows as unknown[]).map(previewRow)])),
  };
}
