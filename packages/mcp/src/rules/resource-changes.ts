import type { JsonObject } from '../session.ts';

/** The address of a resource: all entries, one entry, a briefing, the counts, or the events of the agent. */
export type ResourceAddress =
  | { kind: 'entries' | 'stats' | 'timeline' }
  | { kind: 'briefing'; entity_path?: string }
  | { kind: 'entry'; entity_path: string; key: string };

/** Events that change entries. An outcome changes the confidence of its causes. */
const CHANGES = new Set(['write', 'delete', 'expire', 'erase', 'outcome', 'rollback', 'cherry_pick', 'branch_merged']);

/** Whether an event may have changed the resource. An event without an address may concern any entry. */
export function mayHaveChanged(resource: ResourceAddress, event: JsonObject, agent_id: string): boolean {
  if (resource.kind === 'timeline') return event.agent_id === agent_id;
  if (resource.kind === 'briefing' && event.event_type === 'brief_compiled') return true;
  if (!CHANGES.has(event.event_type as string)) return false;
  if (resource.kind !== 'entry') return true;
  const { entity_path, key } = resource;
  return (event.entity_path ?? entity_path) === entity_path && (event.key ?? key) === key;
}
