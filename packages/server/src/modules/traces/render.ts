import { attachRaw, type Output } from '@mem-service/contract';
import { type Dialect, type FirstRows, fragment, type Query } from '../../db/index.ts';
import {
  groupBySeq,
  type ReadContext,
  readableRows,
  sessionIdOf,
  startWithin,
  toIso,
  toIsoOrNull,
  type Viewer,
} from '../../kernel/index.ts';
import { inTurns, pause } from '../../turns.ts';
import { findDocumentsWithin } from '../entries/index.ts';
import { type ChangeRow, listConfidenceChanges } from '../ledger/index.ts';
import { attemptsInScope } from './attempts.ts';
import { parsePart } from './long-values.ts';
import * as queries from './queries.ts';
import { totalsOf } from './rules/llm-calls.ts';
import { mergeSpansAndCallsInSteps } from './rules/spans.ts';
import type { PartKind, TraceHeader } from './shape.ts';

export type Trace = Output<'traces.read'>;
type CausalRead = Trace['causal_entries'][number];

type ShownPart = Pick<queries.TraceItemRow, 'kind' | 'entity_path' | 'key' | 'entry_id'> & { data: object };

/** The parts of traces by kind, as sent over the wire. */
export class TraceParts {
  readonly #byKind = new Map<string, Record<string, unknown>[]>();

  /** Parses stored parts, in turns with other requests. */
  static async parse(items: readonly queries.TraceItemRow[]): Promise<TraceParts> {
    const parts = new TraceParts();
    for (const { data, ...item } of items) {
      // A few parts can be as long as hundreds: only the clock says when it has been enough.
      const turn = pause();
      if (turn !== undefined) await turn;
      if (data !== null) parts.add({ ...item, data: parsePart(data) });
    }
    return parts;
  }

  add({ kind, entity_path, key, entry_id, data }: ShownPart): void {
    const named = kind === 'read' || kind === 'write' ? { entity_path, key, entry_id } : {};
    const part: Record<string, unknown> = { ...named, ...data };
    if (kind === 'query') {
      nameParameters(part);
      // Numbers of entries are for the service itself.
      delete part.shown;
    }
    const known = this.#byKind.get(kind);
    if (known) known.push(part);
    else this.#byKind.set(kind, [part]);
  }

  // Each kind has one shape; `seal` is the only writer.
  of<T = Record<string, unknown>>(kind: PartKind): T[] {
    return (this.#byKind.get(kind) ?? []) as T[];
  }
}

/** Older traces may hold parameters that are no object. */
function nameParameters(part: Record<string, unknown>): void {
  if (!isObject(part.parameters)) part.parameters = { value: part.parameters };
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

export type ReadPart = CausalRead & { entry_id: number };

/** Kept as text: a value is shown with the digits it was written with. */
const VALUE = [['value']] as const;

export type Readings = { causal_entries: CausalRead[]; isCut: boolean };

/** Entries as they were read, with their values where `query` is given to load them, up to so many bytes. */
export async function readingsOf(
  seen: readonly ReadPart[],
  fetch?: { query: Query; account_id: string; bytes: number },
): Promise<Readings> {
  const { documents, isCut } = fetch
    ? await findDocumentsWithin(fetch.query, fetch.account_id, { numbers: seen, bytes: fetch.bytes })
    : { documents: [], isCut: false };
  const causal_entries: CausalRead[] = [];
  for (const [i, { entry_id: _, ...reading }] of seen.entries()) {
    const document = documents[i];
    causal_entries.push({ ...reading, ...(document === undefined ? { memory_type: null } : valueIn(document)) });
    if (document !== undefined) await pause();
  }
  return { causal_entries, isCut };
}

function valueIn(document: string): Pick<CausalRead, 'value' | 'memory_type'> {
  const parsed = JSON.parse(document) as Pick<CausalRead, 'value' | 'memory_type'>;
  attachRaw(document, parsed, VALUE);
  return { value: parsed.value, memory_type: parsed.memory_type };
}

type TraceContent = {
  parts: TraceParts;
  causal_entries: CausalRead[];
  attempts: Trace['attempts'];
  changes: readonly ChangeRow[];
  /** Lists leave out spans. */
  withSpans: boolean;
  /** Parts or values are left out, because there are too many bytes of them. */
  isCut: boolean;
};

async function toTrace(row: queries.TraceRow, header: TraceHeader, content: TraceContent): Promise<Trace> {
  const { parts, causal_entries, attempts, changes, withSpans, isCut } = content;
  const llm_calls = parts.of<Trace['session_metadata']['llm_calls'][number]>('llm_call');
  const spans = withSpans ? await inTurns(mergeSpansAndCallsInSteps(parts.of('span'), llm_calls)) : [];
  const { attributes, session_started_at, session_ended_at } = header;
  return {
    id: row.trace_id,
    trace_id: row.trace_id,
    immutable_trace_id: row.hash,
    agent_id: row.agent_id,
    session_id: sessionIdOf(row.session),
    branch: row.branch,
    outcome_ref: row.outcome_ref,
    outcome_type: row.outcome_type,
    decision_summary: header.decision_summary,
    task_input: header.task_input,
    response_text: header.response_text,
    tool_calls: parts.of('action'),
    causal_entries,
    external_contexts: parts.of('context'),
    query_events: parts.of('query'),
    error_events: parts.of('error'),
    attempts,
    state_diff: { ...stateDiff(row, parts, changes), ...header.state_diff },
    attributes,
    session_metadata: { ...header.session_metadata, attributes, llm_calls, spans },
    ...totals(llm_calls),
    session_started_at: toIsoOrNull(session_started_at),
    session_ended_at: toIso(session_ended_at),
    session_duration_ms: session_started_at === null ? null : session_ended_at - session_started_at,
    created_at: toIso(row.created_at),
    sequence: row.sequence,
    parent_hash: row.parent_hash,
    hash: row.hash,
    signature: row.signature,
    key_id: row.key_id,
    truncated: header.truncated || isCut,
    ...completeness(header.causes_incomplete_because),
    seq: row.seq,
  } as Trace;
}

function totals(calls: Trace['session_metadata']['llm_calls']) {
  const { total_llm_calls, total_tokens, total_cost_usd, known_cost_usd } = totalsOf(calls);
  return { total_llm_calls, total_tokens, total_cost_usd, known_cost_usd };
}

type WritePart = { event_type: string; version: number };

function stateDiff({ outcome_ref }: queries.TraceRow, parts: TraceParts, changes: readonly ChangeRow[]) {
  const writes = parts.of<WritePart>('write');
  const created = writes.filter(({ event_type, version }) => event_type === 'write' && version === 1).length;
  return {
    entries_created: created,
    entries_updated: writes.length - created,
    confidence_changes: changes.map(({ entity_path, key, confidence_before, confidence_after }) => ({
      entity_path,
      key,
      before: confidence_before,
      after: confidence_after,
      outcome_ref: outcome_ref ?? '',
    })),
  };
}

/** The reader of a trace, the connection to read it with, and how many bytes of parts, and of values, are read. */
export type TraceReading = {
  query: Query;
  viewer: Viewer;
  dialect: Dialect;
  reader: Pick<ReadContext, 'caller' | 'services'>;
  bytes: number;
};

const FEW_PARTS = 200;

/** Where a trace is read: one of many parts off the main thread. */
export async function queryFor(
  { read, scan }: Pick<ReadContext, 'read' | 'scan'>,
  row: queries.TraceRow,
): Promise<Query> {
  return (await queries.hasParts(read, row, FEW_PARTS)) ? scan : read;
}

/** Lists leave out spans: payloads may be large, and values are loaded one by one. */
const LISTED = [fragment(`kind <> 'span'`)];

/** About as much as a part takes beside its data. */
const PART_BYTES = 256;

/** Those of the traces whose parts fit into a list with them. */
export async function tracesWithin(
  { query, viewer, dialect, bytes }: TraceReading,
  { rows, more }: FirstRows<queries.TraceRow>,
): Promise<FirstRows<queries.TraceRow>> {
  if (rows.length === 0) return { rows, more };
  const seqs = dialect.numbers(rows.map(({ seq }) => seq));
  const sizes = groupBySeq(await queries.listSizes(query, viewer.account_id, { seqs, kinds: LISTED }));
  const first = startWithin(rows, bytes, ({ seq, header }) => {
    const [size] = sizes.get(seq) ?? [];
    return header.length + (size ? size.bytes + PART_BYTES * size.parts : 0);
  });
  return { rows: first, more: more || first.length < rows.length };
}

/** What is shown of traces: as in a list, with spans, or with spans and the values of entries. */
export type TraceDetail = 'listed' | 'spans' | 'whole';

export async function renderTraces(
  view: TraceReading,
  rows: readonly queries.TraceRow[],
  detail: TraceDetail,
): Promise<Trace[]> {
  const { query, viewer, dialect, bytes } = view;
  const seqs = (list: readonly number[]) => dialect.numbers(list);
  const withSpans = detail !== 'listed';
  const headers = await parseHeaders(rows);
  const outcomeOf = ({ seq }: queries.TraceRow, i: number) => headers[i]?.outcome_seq ?? seq;
  const [items, changes] = await Promise.all([
    queries.listItems(query, viewer, { seqs: seqs(rows.map(({ seq }) => seq)), kinds: withSpans ? [] : LISTED, bytes }),
    listConfidenceChanges(query, viewer, seqs(rows.map(outcomeOf))),
  ]);
  const itemsBySeq = groupBySeq(items.rows);
  const changesBySeq = groupBySeq(changes);
  const fetch = detail === 'whole' ? { query, account_id: viewer.account_id, bytes } : undefined;
  const partsOf: TraceParts[] = [];
  for (const row of rows) partsOf.push(await TraceParts.parse(itemsBySeq.get(row.seq) ?? []));
  const seen = await readableReads(
    view,
    partsOf.map((parts) => parts.of<ReadPart>('read')),
  );
  const attemptsOf = await attemptsInScope(
    view,
    rows.map(({ seq }, i) => ({ seq, parts: partsOf[i] as TraceParts })),
  );
  const { causal_entries: readings, isCut } = await readingsOf(seen.flat(), fetch);
  await pause();
  let from = 0;
  const traces: Trace[] = [];
  for (const [i, row] of rows.entries()) {
    const parts = partsOf[i] as TraceParts;
    const causal_entries = readings.slice(from, from + (seen[i]?.length ?? 0));
    from += causal_entries.length;
    const changes = changesBySeq.get(outcomeOf(row, i)) ?? [];
    const attempts = attemptsOf[i] ?? [];
    const content = { parts, causal_entries, attempts, changes, withSpans, isCut: isCut || items.more };
    traces.push(await toTrace(row, headers[i] as TraceHeader, content));
  }
  return traces;
}

/** A session may have read on other branches than the one of its outcome. */
async function readableReads({ reader }: TraceReading, reads: readonly ReadPart[][]): Promise<ReadPart[][]> {
  const readable = new Set(await readableRows(reader, reads.flat()));
  return reads.map((parts) => parts.filter((part) => readable.has(part)));
}

/** Headers hold the texts of a session, which may be long. */
async function parseHeaders(rows: readonly queries.TraceRow[]): Promise<TraceHeader[]> {
  const headers: TraceHeader[] = [];
  for (const { header } of rows) {
    await pause();
    headers.push(JSON.parse(header) as TraceHeader);
  }
  return headers;
}

/** Whether all reads were recorded, and if not, why. */
export const completeness = (because: string | undefined) => ({
  causes_complete: because === undefined,
  causes_incomplete_because: because ?? null,
});
