import type { Output } from './client.ts';

/** An event as the log has it, wherever it came from. */
export type FeedEvent = Output<'log.list'>['events'][number];

const KNOWN = new Set([
  ...['seq', 'position', 'event_type', 'agent_id', 'actor_agent_id', 'branch'],
  ...['entity_path', 'key', 'version', 'created_at'],
]);

/** An event of the stream, whose details stand beside the rest. */
export function eventOfStream(text: string): FeedEvent {
  const members: Record<string, unknown> = JSON.parse(text);
  const details = Object.fromEntries(Object.entries(members).filter(([name]) => !KNOWN.has(name)));
  const own = Object.fromEntries(Object.entries(members).filter(([name]) => KNOWN.has(name)));
  return { ...own, details } as FeedEvent;
}

/** The agent that acted, which is not always the one whose timeline has the event. A read by another agent is named by its author. */
export const actorOf = ({ event_type, agent_id, actor_agent_id, details }: FeedEvent): string =>
  event_type === 'cross_agent_read' && details.direction === 'inbound' ? agent_id : (actor_agent_id ?? agent_id);

/** As what the service acts. */
export const SERVICE_AGENT = 'system';

/** What the service does by itself, often and in numbers. */
export const MAINTENANCE_TYPES: ReadonlySet<string> = new Set(['brief_compiled']);

const FAILURES = new Set(['minor_failure', 'failure', 'critical_failure', 'regression', 'p2_incident', 'p1_incident']);

export const isFailure = (outcomeType: string | null | undefined): boolean => FAILURES.has(outcomeType ?? '');

/** Whether an event is bad news. */
export const isBad = ({ event_type, details }: FeedEvent): boolean =>
  event_type === 'error' || (event_type === 'outcome' && isFailure(details.outcome_type as string));
