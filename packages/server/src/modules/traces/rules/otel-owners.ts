import { shapes } from '@mem-service/contract';
import type { OtelAttributes, OtelSpan } from './otel-spans.ts';

/** A name, and its rank against others. */
export type RankedName = { name: string; rank: number };

/** The agent and session for spans of a trace that name no session of their own. */
export type SpanOwner = { agent: RankedName; session: RankedName };

/** The sender of the spans, as far as the request names it. */
export type SpanSender = {
  agent_id: string | undefined;
  session_id: string | undefined;
  default_agent_id: string;
  /** Whether it may send for the agent; names of others in spans are not considered. */
  mayBe(agentId: string): boolean;
};

const SESSION_NAMES = ['mem.session_id', 'gen_ai.conversation.id', 'session.id'];
const AGENT_NAMES = ['gen_ai.agent.id', 'gen_ai.agent.name', 'agent.name'];

/** Ranks: a specific source beats a general one, and an attribute made for this service beats both. */
const RANKS = { none: 0, service: 1, request: 2, resource: 3, span: 4, first_span: 5, own: 6 } as const;

/** Whether the session was named; otherwise it is called after its trace. */
export const hasNamedSession = ({ session }: SpanOwner): boolean => session.rank > RANKS.none;

/** The session named by a span or by its resource. */
export function ownSession({ attributes, resource }: OtelSpan): string | undefined {
  const named = [nameIn(attributes, ['mem.session_id']), nameIn(resource, ['mem.session_id'])];
  return [...named, nameIn(attributes, SESSION_NAMES), nameIn(resource, SESSION_NAMES)].find(Boolean);
}

/** Spans that are looked at in one step. */
const SPANS_PER_STEP = 64;

/**
 * Picks the owner from the spans of a trace and their sender; of equal ranks, the span that started first wins. With a
 * yield after some spans.
 */
export function* ownerInSteps(spans: readonly OtelSpan[], sender: SpanSender): Generator<void, SpanOwner> {
  const inOrder = [...spans].sort((a, b) => ((a.started_at ?? '') < (b.started_at ?? '') ? -1 : 1));
  const agents: RankedName[] = [];
  const sessions: RankedName[] = [];
  for (const [i, span] of inOrder.entries()) {
    if (i % SPANS_PER_STEP === SPANS_PER_STEP - 1) yield;
    agents.push(...agentNames(span).filter(({ name }) => sender.mayBe(name)));
    sessions.push(...sessionNames(span));
  }
  const { agent_id, session_id, default_agent_id } = sender;
  return {
    agent: highestRanked(agents, [rankedName(agent_id, RANKS.request), rankedName(default_agent_id, RANKS.none)]),
    session: highestRanked(sessions, [
      rankedName(session_id, RANKS.request),
      rankedName(spans[0]?.trace_id, RANKS.none),
    ]),
  };
}

/** Keeps the known owner of a trace, unless the new one ranks higher. */
export const betterOwner = (before: SpanOwner, now: SpanOwner): SpanOwner => ({
  agent: now.agent.rank > before.agent.rank ? now.agent : before.agent,
  session: now.session.rank > before.session.rank ? now.session : before.session,
});

const rankedName = (name: string | undefined, rank: number): RankedName[] =>
  name === undefined ? [] : [{ name, rank }];

function highestRanked(claims: readonly RankedName[], rest: readonly RankedName[][]): RankedName {
  const all = [...claims, ...rest.flat()];
  return all.reduce((best, one) => (one.rank > best.rank ? one : best));
}

function agentNames({ attributes, resource, parent_span_id }: OtelSpan): RankedName[] {
  const service = nameIn(resource, ['service.name']);
  return [
    ...rankedName(nameIn(attributes, ['mem.agent_id']) ?? nameIn(resource, ['mem.agent_id']), RANKS.own),
    ...rankedName(nameIn(attributes, AGENT_NAMES), parent_span_id === null ? RANKS.first_span : RANKS.span),
    ...rankedName(nameIn(resource, AGENT_NAMES), RANKS.resource),
    // The name that SDKs give to a service without one.
    ...rankedName(service?.startsWith('unknown_service') ? undefined : service, RANKS.service),
  ];
}

function sessionNames({ attributes, resource, parent_span_id }: OtelSpan): RankedName[] {
  return [
    ...rankedName(nameIn(attributes, ['mem.session_id']) ?? nameIn(resource, ['mem.session_id']), RANKS.own),
    ...rankedName(nameIn(attributes, SESSION_NAMES), parent_span_id === null ? RANKS.first_span : RANKS.span),
    ...rankedName(nameIn(resource, SESSION_NAMES), RANKS.resource),
  ];
}

/** Skips values that cannot be the name of an agent or a session. */
function nameIn(attributes: OtelAttributes, names: readonly string[]): string | undefined {
  for (const name of names) {
    const given = attributes[name];
    if (typeof given !== 'string') continue;
    const parsed = shapes.sessionId.safeParse(given);
    if (parsed.success) return parsed.data;
  }
  return undefined;
}
