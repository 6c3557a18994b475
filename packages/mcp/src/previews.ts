import { stringify } from '@mem-service/contract';
import type { JsonObject } from './session.ts';

/** Longer texts in lists are cut to this. */
export const PREVIEW_CHARS = 2000;

/** Of use to programs, and in the whole answer of an exact read. */
const LEFT_OUT = new Set([
  'content_hash',
  'hash',
  'immutable_trace_id',
  'integrity_chain',
  'parent_hash',
  'seq',
  'standing_no',
  'tree_hash',
]);

const isEmpty = (value: unknown) =>
  value === null || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** As nearly every entry is, so that only the others need words. */
const USUAL: Readonly<Record<string, unknown>> = {
  shared: true,
  is_artifact: false,
  outcome_count: 0,
  success_count: 0,
  failure_count: 0,
  evidence_success: 0,
  evidence_failure: 0,
  recall_count: 0,
};

/** Without what is empty, as usual, or of use to programs only. What is stored is never touched. */
export function trimmed(row: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(row).filter(
      ([name, value]) => name === 'value' || !(LEFT_OUT.has(name) || isEmpty(value) || USUAL[name] === value),
    ),
  );
}

/** A row of a list: trimmed, with counts in place of lists of things, with long texts cut. */
export function previewRow(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
  const members = Object.entries(trimmed(row as JsonObject));
  return cutMembers(
    Object.fromEntries(members.map(([name, value]) => [name, name === 'value' ? value : counted(value)])),
  );
}

const counted = (value: unknown) =>
  Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null) ? value.length : value;

/** Cuts what is long, and says how long it is and how to read it whole. */
export function cutMembers(row: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(row)) {
    const isText = typeof value === 'string';
    const text = isText ? value : name === 'value' ? stringify(value) : '';
    if (text === undefined || text.length <= PREVIEW_CHARS) {
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

/** Every list of the answer, row by row. */
export function previewLists(answer: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, Array.isArray(value) ? value.map(previewRow) : value]),
  );
}
