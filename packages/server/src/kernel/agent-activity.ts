import { joinSql, type Row, type Sql, sql } from '../db/index.ts';
import type { LogEvent } from './work.ts';

/** What the service does by itself is nobody's activity. */
const BY_ITSELF: ReadonlySet<string> = new Set([
  ...[
    'brief_compiled',
    'traces_judged',
    'verdicts_counted',
    'traces_matched',
    'incident_opened',
    'incident_grown',
    'incident_reopened',
  ],
  ...['alert_raised', 'pattern_scan_ended', 'pattern_opened', 'pattern_reopened'],
]);

type ActedEvent = Pick<LogEvent, 'agent_id' | 'actor_agent_id' | 'event_type'>;

/** Whether the agent on whose timeline an event is did it: neither another agent nor the service by itself. */
export const isOwnAct = ({ agent_id, actor_agent_id, event_type }: ActedEvent): boolean =>
  (actor_agent_id ?? agent_id) === agent_id && !BY_ITSELF.has(event_type);

/** The same as a condition on events. */
export function ownActs(): Sql[] {
  const types = [...BY_ITSELF].map((type) => sql`${type}`);
  return [sql`coalesce(actor_agent_id, agent_id) = agent_id`, sql`event_type NOT IN (${joinSql(types, ', ')})`];
}

/** One row for each agent that acted, including actions on another agent. An agent that got the memory of another is there, too. */
export function activityOf(events: readonly LogEvent[]): Row[] {
  const agents = new Map<string, Row>();
  for (const { account_id, agent_id, visible_to, created_at, actor_agent_id, event_type, details } of events) {
    if (BY_ITSELF.has(event_type)) continue;
    const actor = actor_agent_id ?? agent_id;
    const row = { account_id, agent_id: actor, visible_to, first_at: created_at, last_at: created_at };
    agents.set(`${actor}\n${visible_to}`, row);
    if (event_type !== 'fork') continue;
    const { target_agent_id } = JSON.parse(details) as { target_agent_id: string };
    agents.set(`${target_agent_id}\n${visible_to}`, { ...row, agent_id: target_agent_id });
  }
  return [...agents.values()];
}
