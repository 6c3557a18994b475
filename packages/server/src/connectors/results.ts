import { entityPathProblem, keyProblem, shapes, suggest } from '@mem-service/contract';
import type { ConnectorResult } from './types.ts';

export const MAX_RESULTS = 100;
const MAX_TEXTS = 1_000;
const MAX_CHARS = 4_096;
/** Members and items are merged one by one, each with its time. */
const MAX_MEMBERS = 1_000;
const MAX_LISTS = 20;
const MAX_ITEMS = 1_000;

export type ResultLimits = { max_value_bytes: number };
export type CheckedResults = { results: readonly ConnectorResult[] } | { problem: string };

type ResultMembers = Record<string, unknown>;
/** Says what is wrong with a member, such as `must be a text`. */
type MemberRule = (value: unknown, result: ResultMembers) => string | undefined;

/** Checks what an author's transform returned. What passes has the shape of the interface, with its paths in order. */
export function checkResults(given: unknown, limits: ResultLimits): CheckedResults {
  if (!Array.isArray(given)) return { problem: 'transform must return a list of results' };
  if (given.length > MAX_RESULTS)
    return { problem: `transform returned ${given.length} results; ${MAX_RESULTS} are allowed` };
  const results: ConnectorResult[] = [];
  for (const [i, one] of given.entries()) {
    const problem = resultProblem(one) ?? sizeProblem(one, limits);
    if (problem !== undefined) return { problem: `result ${i + 1}${problem}` };
    results.push(one as ConnectorResult);
  }
  return { results };
}

const isObject = (value: unknown): value is ResultMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Paths and keys are put into their normal form. */
function resultProblem(result: unknown): string | undefined {
  if (!isObject(result)) return ' must be an object';
  const rules = Object.hasOwn(RULES, String(result.operation))
    ? RULES[result.operation as keyof typeof RULES]
    : undefined;
  if (!rules) return `.operation must be write or record_context`;
  for (const name of REQUIRED[result.operation as keyof typeof RULES])
    if (result[name] === undefined) return `.${name} is missing`;
  for (const [name, value] of Object.entries(result)) {
    if (value === undefined || name === 'operation') continue;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) return `.${name} is not a member of a result${suggest(name, Object.keys(rules))}`;
    const problem = rule(value, result);
    if (problem !== undefined) return `.${name} ${problem}`;
  }
  if (result.value === undefined && result.operation === 'write' && result.deleted !== true) return '.value is missing';
  return undefined;
}

function sizeProblem(result: unknown, { max_value_bytes }: ResultLimits): string | undefined {
  if (max_value_bytes === Number.POSITIVE_INFINITY) return undefined;
  const { value, items } = result as ResultMembers;
  if (leftOf(value, leftOf(items, max_value_bytes)) >= 0) return undefined;
  const bytes = Buffer.byteLength(JSON.stringify([value, items]) ?? '');
  return bytes > max_value_bytes ? `.value has ${bytes} bytes; ${max_value_bytes} are allowed` : undefined;
}

/** Of an escaped character, and of a number, a truth or the signs around a member. */
const MOST_BYTES = { character: 6, other: 32 };

/** What is left of so many bytes at the worst, negative where that is not enough: a small value need not be written out. */
function leftOf(value: unknown, bytes: number): number {
  let left = bytes - MOST_BYTES.other;
  if (left < 0) return left;
  if (typeof value === 'string') return left - MOST_BYTES.character * value.length;
  if (typeof value !== 'object' || value === null) return left;
  if ('toJSON' in value) return -1;
  for (const name of Object.keys(value)) {
    left = leftOf((value as ResultMembers)[name], left - MOST_BYTES.character * name.length);
    if (left < 0) return left;
  }
  return left;
}

const text = (value: unknown) =>
  typeof value !== 'string' || value === '' || value.length > MAX_CHARS
    ? `must be a text of 1 to ${MAX_CHARS} characters`
    : undefined;
const truth = (value: unknown) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const time = (value: unknown) =>
  typeof value === 'string' && value.length <= 64 && Number.isFinite(Date.parse(value))
    ? undefined
    : 'must be a time, such as 2026-01-31T10:00:00Z';
const number = (min: number, max: number) => (value: unknown) =>
  typeof value === 'number' && value >= min && value <= max ? undefined : `must be a number from ${min} to ${max}`;

const isComposed = (text: string) => text.length <= MAX_CHARS && text.normalize('NFC') === text;

/** The checked text replaces that of the result. */
const named = (name: 'entity_path' | 'key'): MemberRule => {
  const schema = name === 'key' ? shapes.key : shapes.entityPath;
  const problemOf = name === 'key' ? keyProblem : entityPathProblem;
  return (value, result) => {
    // What is in order already, as nearly all is, needs no schema.
    if (typeof value === 'string' && isComposed(value) && problemOf(value) === undefined) return undefined;
    const parsed = schema.safeParse(value);
    if (!parsed.success) return parsed.error.issues[0]?.message ?? 'is not valid';
    if (parsed.data !== value) result[name] = parsed.data;
    return undefined;
  };
};

const listOf = (rule: (item: unknown) => string | undefined) => (value: unknown) => {
  if (!Array.isArray(value) || value.length > MAX_TEXTS) return `must be a list of at most ${MAX_TEXTS} items`;
  return value.map(rule).find((problem) => problem !== undefined);
};

const objectOf = (rules: Record<string, (value: unknown) => string | undefined>) => (value: unknown) => {
  if (!isObject(value)) return 'must be an object';
  for (const [name, rule] of Object.entries(rules)) {
    const problem = rule(value[name]);
    if (problem !== undefined) return `has a ${name} that ${problem}`;
  }
  return undefined;
};

const mergedValue: MemberRule = (value, { merge }) => {
  if (merge !== true) return undefined;
  if (!isObject(value)) return 'must be an object, because merge is true';
  const members = Object.keys(value).length;
  return members > MAX_MEMBERS ? `has ${members} members; ${MAX_MEMBERS} are allowed with merge` : undefined;
};

const item = objectOf({ at: time });

const items: MemberRule = (value, { merge }) => {
  if (merge !== true) return 'is for results with merge';
  if (!isObject(value)) return 'must be an object of lists';
  const all = Object.values(value);
  if (!all.every(isObject)) return 'must have an object of items by their ids for each list';
  if (all.length > MAX_LISTS) return `has ${all.length} lists; ${MAX_LISTS} are allowed`;
  const listed = all.flatMap((list) => Object.values(list as ResultMembers));
  if (listed.length > MAX_ITEMS) return `has ${listed.length} items; ${MAX_ITEMS} are allowed`;
  return listed.map((one) => (one === null ? undefined : item(one))).find((problem) => problem !== undefined);
};

const MEMORY_TYPES = ['fact', 'belief', 'experience', 'procedure'];

const RULES: Record<ConnectorResult['operation'], Record<string, MemberRule>> = {
  write: {
    entity_path: named('entity_path'),
    key: named('key'),
    value: mergedValue,
    occurred_at: time,
    rank: number(-1e15, 1e15),
    merge: truth,
    items,
    thing: text,
    unplaced: truth,
    deleted: truth,
    raw: truth,
    confidence: number(0, 1),
    memory_type: (value) =>
      MEMORY_TYPES.includes(value as string) ? undefined : `must be one of ${MEMORY_TYPES.join(', ')}`,
    artifact_refs: listOf(text),
    links: listOf(objectOf({ relation: text, to: text })),
    outcome: objectOf({ outcome_ref: text, outcome_type: text }),
  },
  record_context: { label: text, summary: text, source: text, entity_path: named('entity_path') },
};

const REQUIRED: Record<ConnectorResult['operation'], readonly string[]> = {
  write: ['entity_path', 'key'],
  record_context: ['label', 'summary', 'source'],
};
