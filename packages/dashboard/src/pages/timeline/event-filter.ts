import type { Output } from '../../data/client.ts';
import { type FeedEvent, MAINTENANCE_TYPES } from '../../data/events.ts';

export type TimelineFilter = { type: string; agent: string; path: string; branch: string };

export const hasFilter = ({ type, agent, path, branch }: TimelineFilter): boolean =>
  `${type}${agent}${path}${branch}` !== '';

/** Whether an event is one of those asked for. What the service does by itself is shown when its type is chosen. */
export const matches = ({ type, agent, path, branch }: TimelineFilter, event: FeedEvent): boolean =>
  (type === '' ? !MAINTENANCE_TYPES.has(event.event_type) : event.event_type === type) &&
  (agent === '' || event.agent_id === agent) &&
  (branch === '' || event.branch === branch) &&
  (path === '' || (event.entity_path !== null && isBelow(path, event.entity_path)));

/** `a/b` is that path, `a/*` its direct children, `a/**` everything below it, `*` everything. */
function isBelow(glob: string, path: string): boolean {
  if (glob === '*' || glob === '**') return true;
  if (glob.endsWith('/**')) return path === glob.slice(0, -3) || path.startsWith(glob.slice(0, -2));
  if (!glob.endsWith('/*')) return path === glob;
  const parent = glob.slice(0, -1);
  return path.startsWith(parent) && !path.slice(parent.length).includes('/');
}

type AgentEvent = Output<'agents.timeline'>['events'][number];

/** An event of an agent's timeline, in the form of the log. */
export function eventOfTimeline({ id, actor_agent_id, details, ...rest }: AgentEvent): FeedEvent {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    ...{ seq: id, position: String(id), event_type: rest.event_type, agent_id: rest.agent_id, branch: rest.branch },
    ...(actor_agent_id === null ? {} : { actor_agent_id }),
    ...{ entity_path: text(details.entity_path), key: text(details.key), details, created_at: rest.created_at },
    version: typeof details.version === 'number' ? details.version : null,
  };
}
