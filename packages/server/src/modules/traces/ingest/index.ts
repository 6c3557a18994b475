import {
  bytesOfTexts,
  changed,
  hashedBy,
  heldName,
  type MaintenanceTask,
  mayActAs,
  prepares,
  toIso,
  unchanged,
  type Work,
  writes,
} from '../../../kernel/index.ts';
import { pause } from '../../../turns.ts';
import { addItems, type NewItem, openSession, roomIn, SESSION_FULL } from '../../sessions/index.ts';
import { contentOf, type PreparedSpans, prepareSpans, type SpanContent } from '../prepare.ts';
import { pricesOf } from '../prices.ts';
import { emitRecorded } from '../recording.ts';
import { kindOf } from '../rules/gen-ai.ts';
import { normalizeCall, type RecordedLlmCall } from '../rules/llm-calls.ts';
import { ownSession, type SpanOwner } from '../rules/otel-owners.ts';
import type { OtelSpan } from '../rules/otel-spans.ts';
import { withRedactions } from '../rules/redact.ts';
import { normalizeSpan } from '../rules/spans.ts';
import * as queries from './queries.ts';
import { assignOwners, type HeldName } from './span-owners.ts';

const ingest = writes<'sessions.ingest_otlp'>(async (work, { input, caller, prepared }) => {
  const { read, ...known } = prepared as PreparedSpans;
  const held: HeldName = (name) => heldName(name, caller);
  const fresh = await withoutStored(work, read.spans, held);
  const sender = {
    agent_id: input.agent_id,
    session_id: input.session_id ?? caller.session_id ?? undefined,
    default_agent_id: caller.agent_id,
    mayBe: (agentId: string) => mayActAs(caller, agentId),
  };
  const owners = await assignOwners(work, fresh, { sender, held });
  const groups = await bySession(fresh, owners);
  const recorded: IngestedSpans[] = [];
  for (const group of groups) recorded.push(await recordSessionSpans(work, group, { held, ...known }));
  const kept = recorded.filter(({ spans }) => spans > 0);
  const refused = recorded.reduce((sum, { refused }) => sum + refused, 0);
  const rejected = read.rejected + refused;
  const errorMessage = read.reason ?? SESSION_FULL;
  const item_id = kept.at(-1)?.item_id ?? null;
  const output = {
    ...(rejected === 0 ? {} : { partialSuccess: { rejectedSpans: String(rejected), errorMessage } }),
    item_id,
    recorded: kept.map(({ agent_id, session_id, spans, llm_calls }) => ({ agent_id, session_id, spans, llm_calls })),
    duplicate_spans: read.spans.length - fresh.length,
    ignored_spans: fresh.filter(({ trace_id }) => !owners.has(trace_id)).length,
    unchanged: kept.length === 0,
  };
  return item_id === null ? unchanged(output) : changed(output, { resource: item_id, ...hashedBy(output) });
});

export const ingestOtlp = prepares<'sessions.ingest_otlp'>((_, input) => prepareSpans(input), ingest);

/** Drops spans that are stored already or repeated within this request. */
async function withoutStored(
  { tx, account_id }: Work,
  spans: readonly OtelSpan[],
  held: HeldName,
): Promise<OtelSpan[]> {
  const byId = new Map<string, OtelSpan>();
  for (const span of spans) byId.set(idOf(span, span.span_id), span);
  const once = [...byId.values()];
  await pause();
  const keys = once.map(({ trace_id, span_id }) => [account_id, held(trace_id), span_id]);
  const known = keys.length === 0 ? [] : await tx.findMany(queries.findSpans, keys);
  return once.filter((_, i) => known[i] === undefined);
}

/** A span id is unique only within its trace, and a session may hold many traces. */
const idOf = ({ trace_id }: OtelSpan, spanId: string): string => `${trace_id}-${spanId}`;

type SessionSpans = { agent_id: string; session_id: string; spans: OtelSpan[] };

async function bySession(spans: readonly OtelSpan[], owners: ReadonlyMap<string, SpanOwner>): Promise<SessionSpans[]> {
  const groups = new Map<string, SessionSpans>();
  for (const span of spans) {
    await pause();
    const home = owners.get(span.trace_id);
    if (!home) continue;
    const agent_id = home.agent.name;
    const session_id = ownSession(span) ?? home.session.name;
    const id = JSON.stringify([agent_id, session_id]);
    const group = groups.get(id) ?? { agent_id, session_id, spans: [] };
    group.spans.push(span);
    groups.set(id, group);
  }
  return [...groups.values()];
}

type IngestedSpans = {
  item_id: string | null;
  agent_id: string;
  session_id: string;
  spans: number;
  llm_calls: number;
  refused: number;
};

/** A span, and what is to be recorded of it. */
type MadeSpan = { span: OtelSpan; items: readonly SpanItem[]; bytes: number };
type SpanItem = NewItem & { data: string };

/** Spans that are stored in one step. */
const SPANS_PER_STEP = 256;

/** Records spans in their session, as long as it has room. */
async function recordSessionSpans(
  work: Work,
  { agent_id, session_id, spans }: SessionSpans,
  { held, contents, redactions }: { held: HeldName } & Omit<PreparedSpans, 'read'>,
): Promise<IngestedSpans> {
  const { account_id, now: at } = work;
  const session = held(session_id);
  const row = await openSession(work, { account_id, agent_id, session });
  const made: MadeSpan[] = [];
  for (const span of spans) {
    await pause();
    const content = contents?.get(span) ?? contentOf(span);
    const items = withRedactions(redactions, () => itemsOf(work, span, content));
    made.push({ span, items, bytes: bytesOfTexts(items.map(({ data }) => data)) });
  }
  const kept = fitting(made, roomIn(row, work.services));
  const llm_calls = kept.filter(({ items }) => items.length > 1).length;
  const event = { agent_id, session_id, spans: kept.length, llm_calls, refused: spans.length - kept.length };
  if (kept.length === 0) return { item_id: null, ...event };
  let last = 0;
  for (let from = 0; from < kept.length; from += SPANS_PER_STEP) {
    await pause();
    const some = kept.slice(from, from + SPANS_PER_STEP);
    const numbers = addItems(
      work,
      row,
      some.flatMap(({ items }) => items),
    );
    last = numbers.at(-1) ?? last;
    const next = numbers.values();
    const rows = some.map(({ span: { trace_id, span_id }, items }) => {
      const [item_no = 0, call_no = null] = items.map(() => next.next().value as number);
      return { account_id, trace_id: held(trace_id), span_id, agent_id, session, item_no, call_no, at };
    });
    work.send(work.tx.insertMany(queries.insertSpans, rows));
  }
  const author = { agent_id, session_id, session };
  const details = { spans: kept.length, llm_calls };
  const { item_id } = emitRecorded(work, last, { author, row, event_type: 'span', details });
  return { item_id, ...event };
}

/** The first ones, as many as there is room for. */
function fitting(all: readonly MadeSpan[], room: { items: number; bytes: number }): MadeSpan[] {
  const taken = { items: 0, bytes: 0 };
  const firstOut = all.findIndex(({ items, bytes }) => {
    taken.items += items.length;
    taken.bytes += bytes;
    return taken.items > room.items || taken.bytes > room.bytes;
  });
  return firstOut < 0 ? [...all] : all.slice(0, firstOut);
}

/** The items of a span: itself, and a model call where it is one. */
function itemsOf(work: Work, span: OtelSpan, content: SpanContent): SpanItem[] {
  const call = toCall(work, span, content);
  const data = toSpan(work, span, { content, call });
  const items = [{ kind: 'span' as const, data }, ...(call ? [{ kind: 'llm_call' as const, data: call }] : [])];
  return items.map(({ kind, data }) => ({ kind, data: JSON.stringify(data) }));
}

function toCall(work: Work, span: OtelSpan, { call: event }: SpanContent): RecordedLlmCall | undefined {
  if (!event) return undefined;
  const call_id = idOf(span, span.span_id);
  const result = normalizeCall(
    { ...event, call_id },
    { prices: pricesOf(work.services.settings), now: toIso(work.now), newId: () => call_id },
  );
  return 'call' in result ? result.call : undefined;
}

type SpanMade = { content: SpanContent; call: RecordedLlmCall | undefined };

function toSpan(work: Work, span: OtelSpan, { content, call }: SpanMade): object {
  const { parent_span_id, name, started_at, ended_at, duration_ms, is_error, attributes, scope } = span;
  const service = span.resource['service.name'];
  return normalizeSpan(
    {
      span_id: idOf(span, span.span_id),
      parent_span_id: parent_span_id === null ? null : idOf(span, parent_span_id),
      name,
      kind: kindOf(attributes),
      status: is_error ? 'error' : ended_at === null ? 'running' : 'ok',
      error: content.error,
      started_at,
      ended_at,
      duration_ms,
      ...content.payloads,
      attributes: {
        ...content.labels,
        ...(scope === '' ? {} : { 'otel.scope.name': scope.slice(0, 256) }),
        ...(typeof service === 'string' ? { 'service.name': service.slice(0, 256) } : {}),
      },
      events: content.events,
      ...(call
        ? {
            model: call.model,
            input_tokens: call.input_tokens,
            output_tokens: call.output_tokens,
            cost_usd: call.cost_usd,
          }
        : {}),
    },
    { maxChars: work.services.settings.span_payload_max_chars },
  );
}

/** As long as an idle session is kept. */
const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1000;

export const deleteOldSpans: MaintenanceTask = {
  name: 'traces.forget_spans',
  async run({ services: { database, clock } }) {
    await database.maintenanceTransaction((tx) => queries.deleteOld(tx, clock.now() - REMEMBERED_MS));
  },
};
