import type { ConnectorResult, ContextResult, EntryResult, ResultLink } from '../../../connectors/types.ts';
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
  /** The name of a thing whose path and key may change. */
  thing?: string | undefined;
  /** The path counts only until there is a better one. */
  unplaced: boolean;
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
  /** The path of a context that names none. */
  contextPath: () => string;
  /** The key of the nth result, where it is a context. */
  contextKey: (label: string, no: number) => string;
};

const MAX_LINKS = 50;
const MAX_REFS = 100;

/** What is the same of every write that an event asks for. */
export const PLAIN_WRITE = {
  operation: 'write',
  shown_as: 'written',
  occurred_at: undefined,
  rank: 0,
  merge: false,
  unplaced: false,
  deleted: false,
  links: [],
} as const;

/** The writes that the results of a connector ask for. */
export const writesOf = (results: readonly ConnectorResult[], delivered: Delivered): ArrivedWrite[] =>
  results.map((result, no) =>
    result.operation === 'write' ? writeOf(result, delivered) : contextOf(result, no, delivered),
  );

function writeOf(result: EntryResult, { received_at }: Delivered): ArrivedWrite {
  const { entity_path, key, value = null, rank = 0, merge = false, items, deleted = false } = result;
  const { thing, unplaced = false, raw = false, confidence, memory_type, outcome } = result;
  return {
    operation: 'write',
    shown_as: raw ? 'raw' : 'written',
    entity_path,
    key,
    value,
    occurred_at: result.occurred_at === undefined ? received_at : Date.parse(result.occurred_at),
    rank,
    merge,
    items,
    thing: merge ? thing : undefined,
    unplaced,
    deleted,
    confidence,
    memory_type,
    artifact_refs: result.artifact_refs?.slice(0, MAX_REFS).map((uri) => ({ uri })),
    links: (result.links ?? []).slice(0, MAX_LINKS),
    outcome,
  };
}

function contextOf(
  { label, summary, source, entity_path }: ContextResult,
  no: number,
  { contextPath, contextKey }: Delivered,
): ArrivedWrite {
  return {
    ...PLAIN_WRITE,
    operation: 'record_context',
    shown_as: 'context',
    entity_path: entity_path ?? contextPath(),
    key: contextKey(label, no),
    value: { label, summary, source },
  };
}
