import { cutMembers, trimmed, twoDigits } from './previews.ts';
import type { JsonObject } from './session.ts';

const COLUMNS = ['entity_path', 'key', 'confidence', 'evidence_status', 'age', 'value'];

/** What is shown of a hit besides the columns, where it is not as usual. */
const MORE = [
  'memory_type',
  'branch',
  'shared',
  'tier',
  'ttl_at',
  'effective_confidence',
  'looks_like_secret',
  'value_truncated',
  'value_chars',
  'value_format',
  'full_value',
];

/**
 * The entries of an answer as rows under one line of names: a model pays for every token, and twenty hits would name
 * each member twenty times. A last cell holds what is unusual about a hit.
 */
export function toTable(
  { entries, next_cursor, truncated, ...answer }: JsonObject,
  { now, also = [] }: TableOptions,
): JsonObject {
  const rows = entries as JsonObject[];
  if (isRecalled(answer)) return recalledTable({ entries: rows, truncated, ...answer }, { now, also });
  const hasValues = rows.every((row) => 'value' in row);
  return {
    columns: hasValues ? COLUMNS : COLUMNS.slice(0, -1),
    entries: rows.map((row) => toRow(row, hasValues, now)),
    ...(truncated === true ? { truncated } : {}),
    ...(typeof next_cursor === 'string' ? { next_cursor } : {}),
  };
}

/** `also`: members of hits that are not shown unless they are asked for. */
export type TableOptions = { now: number; also?: readonly string[] };

function toRow(row: JsonObject, hasValue: boolean, now: number): unknown[] {
  const { entity_path, key, confidence, evidence_status, provenance } = row;
  const cut: JsonObject = hasValue
    ? cutMembers({ entity_path, key, version: row.version, branch: row.branch, value: row.value })
    : {};
  const shown: JsonObject = { ...trimmed(row), ...cut };
  const more = MORE.filter((name) => shown[name] !== undefined && !(name === 'branch' && shown[name] === 'main'));
  const unusual = more.filter((name) => !(name === 'memory_type' && shown[name] === 'fact'));
  return [
    entity_path,
    key,
    twoDigits(Number(confidence)),
    evidence_status,
    ageOf(String((provenance as JsonObject).written_at), now),
    ...(hasValue ? [cut.value] : []),
    ...(unusual.length > 0 ? [Object.fromEntries(unusual.map((name) => [name, shown[name]]))] : []),
  ];
}

type RecalledAnswer = {
  avoid: JsonObject[];
  left_out: JsonObject[];
  answerability: { chance: number | null };
  time: unknown;
  index: { behind: number; embedder: string | null; fallback?: JsonObject };
  skipped: string[];
  reranker?: { failure: string | null };
};

/** The answer to a question, whose entries have passages. */
const isRecalled = (answer: JsonObject): answer is JsonObject & RecalledAnswer => 'avoid' in answer;

function recalledTable(
  answer: RecalledAnswer & { entries: JsonObject[]; truncated: unknown },
  { now, also = [] }: TableOptions,
): JsonObject {
  const { entries, avoid, left_out, answerability, time, skipped, reranker, truncated } = answer;
  const toPassage = ({ passage, value, score, ...row }: JsonObject) => {
    const cells = toRow(row, false, now);
    const [unusual] = cells.slice(COLUMNS.length - 1) as JsonObject[];
    const isPart = typeof value === 'string' && value !== passage ? { value_truncated: true } : {};
    const asked = Object.fromEntries(also.map((name) => [name, withoutZeros(row[name])]));
    const more = { ...unusual, ...isPart, ...asked };
    return [...cells.slice(0, COLUMNS.length - 1), score, passage, ...(Object.keys(more).length > 0 ? [more] : [])];
  };
  const index = indexNews(answer);
  return {
    columns: [...COLUMNS.slice(0, -1), 'score', 'passage'],
    entries: entries.map(toPassage),
    ...(avoid.length > 0 ? { avoid: avoid.map(toPassage) } : {}),
    ...(left_out.length > 0 ? { left_out } : {}),
    ...(answerability.chance === null ? {} : { answerability: { chance: answerability.chance } }),
    ...(time ? { time } : {}),
    ...(Object.keys(index).length > 0 ? { index } : {}),
    ...(skipped.length > 0 ? { skipped } : {}),
    ...(reranker?.failure ? { reranker: { failure: reranker.failure } } : {}),
    ...(truncated === true ? { truncated } : {}),
  };
}

/** How the comparison of meanings was not as usual. */
function indexNews({ index, answerability }: RecalledAnswer): JsonObject {
  const { behind, embedder, fallback } = index;
  return {
    ...(behind > 0 ? { behind } : {}),
    ...(embedder === null && answerability.chance !== null ? { embedder: 'none' } : {}),
    ...(fallback ? { fallback } : {}),
  };
}

const withoutZeros = (parts: unknown): JsonObject =>
  Object.fromEntries(Object.entries(parts as JsonObject).filter(([, part]) => Number(part) !== 0));

const UNITS = [
  ['y', 365 * 86_400],
  ['mo', 30 * 86_400],
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** How long ago it was written, in its largest unit. */
export function ageOf(written_at: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(written_at)) / 1000);
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['s', 1];
  return `${Math.floor(seconds / size)}${unit}`;
}
