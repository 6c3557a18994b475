import type { Row } from '../db/index.ts';
import type { LogEvent } from './work.ts';

/** What the service compiles by itself is nobody's activity. */
const BY_ITSELF = 'brief_compiled';

/** One row for each agent that acted, including actions on another agent. An agent that got the memory of another is there, too. */
export function activityOf(events: readonly LogEvent[]): Row[] {
  const agents = new Map<string, Row>();
  for (const { account_id, agent_id, visible_to, created_at, actor_agent_id, event_type, details } of events) {
    if (event_type === BY_ITSELF) continue;
    const actor = actor_agent_id ?? agent_id;
    const row = { account_id, agent_id: actor, visible_to, first_at: created_at, last_at: created_at };
    agents.set(`${actor}\n${visible_to}`, row);
    if (event_type !== 'fork') continue;
    const { target_agent_id } = JSON.parse(details) as { target_agent_id: string };
    agents.set(`${target_agent_id}\n${visible_to}`, { ...row, agent_id: target_agent_id });
  }
  return [...agents.values()];
}
