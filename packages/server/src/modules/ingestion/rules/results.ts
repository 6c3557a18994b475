import { entityPathProblem, keyProblem, trimSlashes } from '@mem-service/contract';
import type { ConnectorResult, ContextResult, MemoryType, ResultLink, WriteResult } from '../../../connectors/types.ts';
import type { ThingItems } from './merge.ts';

/** What a result of a connector, or an event, says about one entry. */
export type ArrivedWrite = {
  operation: 'write' | 'record_context';
  /** What its status is called where it is written. */
  shown_as: 'written' | 'context' | 'raw';
  entity_path: string;
  key: string;
  value: unknown;
  /** The JSON of the value, where it is stored as it is. */
  text?: string | undefined;
  /** When it happened; undefined where nothing is compared with it. */
  occurred_at: number | undefined;
  rank: number;
  merge: boolean;
  items?: ThingItems | undefined;
  deleted: boolean;
  confidence?: number | undefined;
  memory_type?: string | undefined;
  /** JSON. */
  pattern_refs?: string | undefined;
  artifact_refs?: readonly { uri: string }[] | undefined;
  links: readonly ResultLink[];
  outcome?: { outcome_ref: string; outcome_type: string } | undefined;
};

export type Delivered = {
  received_at: number;
  default_entity_path: string;
  /** The key of the nth result, where it is a context. */
  contextKey: (label: string, no: number) => string;
};

const MAX_RESULTS = 100;
const MAX_LINKS = 50;
const MAX_REFS = 100;
const MEMORY_TYPES: readonly MemoryType[] = ['fact', 'belief', 'experience', 'procedure'];

/** The writes that the results of a connector ask for, or the reason why they cannot be done. */
export function writesOf(results: readonly ConnectorResult[], delivered: Delivered): ArrivedWrite[] | string {
  if (!Array.isArray(results)) return 'the transform returned no list';
  if (results.length > MAX_RESULTS)
    return `the transform returned ${results.length} results; ${MAX_RESULTS} are allowed`;
  const writes: ArrivedWrite[] = [];
  for (const [no, result] of results.entries()) {
    const write = isWrite(result)
      ? writeOf(result, delivered)
      : isContext(result)
        ? contextOf(result, no, delivered)
        : undefined;
    if (write === undefined) return `result ${no} is neither a write nor a context`;
    const problem = problemOf(write, result);
    if (problem !== undefined) return `result ${no}: ${problem}`;
    writes.push(write);
  }
  return writes;
}

const isWrite = (result: unknown): result is WriteResult =>
  isObject(result) && result.operation === 'write' && isText(result.entity_path) && isText(result.key);

const isContext = (result: unknown): result is ContextResult =>
  isObject(result) &&
  result.operation === 'record_context' &&
  [result.label, result.summary, result.source].every(isText) &&
  (result.entity_path === undefined || isText(result.entity_path));

function writeOf(result: WriteResult, { received_at }: Delivered): ArrivedWrite {
  const { value, rank = 0, merge = false, items, deleted = false, confidence, memory_type, outcome } = result;
  const at = result.occurred_at === undefined ? received_at : Date.parse(result.occurred_at);
  return {
    operation: 'write',
    shown_as: 'written',
    entity_path: tidyPath(result.entity_path),
    key: result.key.normalize('NFC'),
    value: value ?? null,
    occurred_at: Number.isNaN(at) ? received_at : at,
    rank,
    merge,
    items,
    deleted,
    confidence,
    memory_type,
    artifact_refs: result.artifact_refs
      ?.filter(isText)
      .slice(0, MAX_REFS)
      .map((uri) => ({ uri })),
    links: (result.links ?? []).slice(0, MAX_LINKS),
    outcome,
  };
}

function contextOf(
  result: ContextResult,
  no: number,
  { received_at, default_entity_path, contextKey }: Delivered,
): ArrivedWrite {
  const { label, summary, source } = result;
  return {
    operation: 'record_context',
    shown_as: 'context',
    entity_path: tidyPath(result.entity_path ?? default_entity_path),
    key: contextKey(label, no),
    value: { label, summary, source },
    occurred_at: received_at,
    rank: 0,
    merge: false,
    deleted: false,
    links: [],
  };
}

function problemOf(
  { entity_path, key, merge, value, rank, confidence, memory_type, deleted }: ArrivedWrite,
  result: object,
) {
  const path = entityPathProblem(entity_path);
  if (path !== undefined) return `entity_path ${path}`;
  const name = keyProblem(key);
  if (name !== undefined) return `key ${name}`;
  if (merge && !deleted && !isObject(value)) return 'a value to merge must be an object';
  if (!Number.isFinite(rank)) return 'rank must be a number';
  if (confidence !== undefined && !(confidence >= 0 && confidence <= 1)) return 'confidence must be from 0 to 1';
  if (memory_type !== undefined && !MEMORY_TYPES.includes(memory_type as MemoryType)) return 'memory_type is unknown';
  return partsProblem(result as WriteResult);
}

function partsProblem({ items, links = [], outcome }: WriteResult): string | undefined {
  if (items !== undefined && !isListsOfItems(items))
    return 'items must have lists of objects by their ids, each with `at`';
  if (!Array.isArray(links) || !links.every((link) => isObject(link) && isText(link.relation) && isText(link.to)))
    return 'each link needs `relation` and `to`';
  if (outcome !== undefined && !(isObject(outcome) && isText(outcome.outcome_ref) && isText(outcome.outcome_type)))
    return 'an outcome needs `outcome_ref` and `outcome_type`';
  return undefined;
}

const isListsOfItems = (items: unknown): boolean =>
  isObject(items) &&
  Object.values(items).every(
    (list) =>
      isObject(list) && Object.values(list).every((item) => item === null || (isObject(item) && isText(item.at))),
  );

const tidyPath = (path: string): string => trimSlashes(path.normalize('NFC'));

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
