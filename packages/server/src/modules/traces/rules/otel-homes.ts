import { shapes } from '@mem-service/contract';
import type { OtelAttributes, OtelSpan } from './otel-spans.ts';

/** A name for something, and how much it counts against another one. */
export type Claim = { name: string; rank: number };

/** Where the spans of a trace go that name no session of their own. */
export type Home = { agent: Claim; session: Claim };

/** Who sent them, as far as the request says. */
export type Sender = { agent_id: string | undefined; session_id: string | undefined; default_agent_id: string };

const SESSION_NAMES = ['mem.session_id', 'gen_ai.conversation.id', 'session.id'];
const AGENT_NAMES = ['gen_ai.agent.id', 'gen_ai.agent.name', 'agent.name'];

/** Ranks: what is said of one thing beats what is said of many, and what is said for this service beats both. */
const RANKS = { none: 0, service: 1, request: 2, resource: 3, span: 4, first_span: 5, own: 6 } as const;

/** A session by the name of its trace is nobody's choice. */
export const isNamed = ({ session }: Home): boolean => session.rank > RANKS.none;

/** The session that a span names itself, or its resource for it. */
export function ownSession({ attributes, resource }: OtelSpan): string | undefined {
  const named = [nameIn(attributes, ['mem.session_id']), nameIn(resource, ['mem.session_id'])];
  return [...named, nameIn(attributes, SESSION_NAMES), nameIn(resource, SESSION_NAMES)].find(Boolean);
}

/** By all that the spans of a trace and their sender say; of equal claims, the one of the span that started first. */
export function homeOf(spans: readonly OtelSpan[], sender: Sender): Home {
  const inOrder = [...spans].sort((a, b) => ((a.started_at ?? '') < (b.started_at ?? '') ? -1 : 1));
  const { agent_id, session_id, default_agent_id } = sender;
  return {
    agent: strongest(inOrder.flatMap(agentClaims), [
      claim(agent_id, RANKS.request),
      claim(default_agent_id, RANKS.none),
    ]),
    session: strongest(inOrder.flatMap(sessionClaims), [
      claim(session_id, RANKS.request),
      claim(spans[0]?.trace_id, RANKS.none),
    ]),
  };
}

/** What was known of a trace, unless more is known now. */
export const betterHome = (before: Home, now: Home): Home => ({
  agent: now.agent.rank > before.agent.rank ? now.agent : before.agent,
  session: now.session.rank > before.session.rank ? now.session : before.session,
});

const claim = (name: string | undefined, rank: number): Claim[] => (name === undefined ? [] : [{ name, rank }]);

function strongest(claims: readonly Claim[], rest: readonly Claim[][]): Claim {
  const all = [...claims, ...rest.flat()];
  return all.reduce((best, one) => (one.rank > best.rank ? one : best));
}

function agentClaims({ attributes, resource, parent_span_id }: OtelSpan): Claim[] {
  const service = nameIn(resource, ['service.name']);
  return [
    ...claim(nameIn(attributes, ['mem.agent_id']) ?? nameIn(resource, ['mem.agent_id']), RANKS.own),
    ...claim(nameIn(attributes, AGENT_NAMES), parent_span_id === null ? RANKS.first_span : RANKS.span),
    ...claim(nameIn(resource, AGENT_NAMES), RANKS.resource),
    // The name that SDKs give to a service without one.
    ...claim(service?.startsWith('unknown_service') ? undefined : service, RANKS.service),
  ];
}

function sessionClaims({ attributes, resource, parent_span_id }: OtelSpan): Claim[] {
  return [
    ...claim(nameIn(attributes, ['mem.session_id']) ?? nameIn(resource, ['mem.session_id']), RANKS.own),
    ...claim(nameIn(attributes, SESSION_NAMES), parent_span_id === null ? RANKS.first_span : RANKS.span),
    ...claim(nameIn(resource, SESSION_NAMES), RANKS.resource),
  ];
}

/** What cannot be the name of an agent or a session is passed over. */
function nameIn(attributes: OtelAttributes, names: readonly string[]): string | undefined {
  for (const name of names) {
    const parsed = shapes.sessionId.safeParse(attributes[name]);
    if (parsed.success) return parsed.data;
  }
  return undefined;
}
