import type { Work } from '../../../kernel/index.ts';
import { inTurns } from '../../../turns.ts';
import { moveItems } from '../../sessions/index.ts';
import { isGenAi } from '../rules/gen-ai.ts';
import { betterOwner, hasNamedSession, ownerInSteps, type SpanOwner, type SpanSender } from '../rules/otel-owners.ts';
import type { OtelSpan } from '../rules/otel-spans.ts';
import * as queries from './queries.ts';

/** The name of a trace or a session within those of the sender's key. */
export type HeldName = (name: string) => string;

type TraceSpans = { trace_id: string; spans: OtelSpan[] };

export function byTrace(spans: readonly OtelSpan[]): TraceSpans[] {
  const traces = new Map<string, OtelSpan[]>();
  for (const span of spans) {
    const known = traces.get(span.trace_id);
    if (known) known.push(span);
    else traces.set(span.trace_id, [span]);
  }
  return [...traces].map(([trace_id, list]) => ({ trace_id, spans: list }));
}

/**
 * Decides which session the spans of each trace go to. When a trace names its owner late, its earlier spans move along. A
 * trace without a session that does not look like the work of an agent is dropped.
 */
export async function assignOwners(
  work: Work,
  spans: readonly OtelSpan[],
  { sender, held }: { sender: SpanSender; held: HeldName },
): Promise<Map<string, SpanOwner>> {
  const { account_id, now: at } = work;
  const traces = byTrace(spans);
  const keys = traces.map(({ trace_id }) => [account_id, held(trace_id)]);
  const rows = await work.tx.findMany<queries.TraceOwnerRow>(queries.findTraceOwners, keys);
  const owners = new Map<string, SpanOwner>();
  for (const [i, { trace_id, spans }] of traces.entries()) {
    const before = toOwner(rows[i]);
    const found = await inTurns(ownerInSteps(spans, sender));
    if (!before && !hasNamedSession(found) && !spans.some(isGenAi)) continue;
    const owner = before ? betterOwner(before, found) : found;
    if (before) await move(work, { trace_id, before, home: owner, held });
    owners.set(trace_id, owner);
  }
  const saved = [...owners].map(([trace_id, { agent, session }]) => ({
    account_id,
    trace_id: held(trace_id),
    agent_id: agent.name,
    agent_rank: agent.rank,
    session: session.name,
    session_rank: session.rank,
    at,
  }));
  if (saved.length > 0) work.send(work.tx.insertMany(queries.upsertTraceOwners, saved));
  return owners;
}

function toOwner(row: queries.TraceOwnerRow | undefined): SpanOwner | undefined {
  if (!row) return undefined;
  const { agent_id, agent_rank, session, session_rank } = row;
  return { agent: { name: agent_id, rank: agent_rank }, session: { name: session, rank: session_rank } };
}

const SPANS_AT_ONCE = 1000;

type MovedTrace = { trace_id: string; before: SpanOwner; home: SpanOwner; held: HeldName };

async function move(work: Work, { before, home: owner, held, ...moved }: MovedTrace): Promise<void> {
  const { account_id } = work;
  const trace_id = held(moved.trace_id);
  const keyOf = ({ agent, session }: SpanOwner) => ({ account_id, agent_id: agent.name, session: held(session.name) });
  const [from, to] = [keyOf(before), keyOf(owner)];
  if (from.agent_id === to.agent_id && from.session === to.session) return;
  const items = await queries.listItems(work.tx, { ...from, trace_id });
  await moveItems(
    work,
    { from, to },
    items.flatMap(({ item_no, call_no }) => (call_no === null ? [item_no] : [item_no, call_no])),
  );
  while ((await queries.moveSpans(work.tx, { ...from, trace_id }, { ...to, limit: SPANS_AT_ONCE })) === SPANS_AT_ONCE);
}
