import type { JsonObject } from '../session.ts';

/** A resource as an address: all entries, one of them, the counts, or what happened to the agent. */
export type ResourceAddress =
  | { kind: 'entries' | 'stats' | 'timeline' }
  | { kind: 'entry'; entity_path: string; key: string };

/** What changes entries: an outcome moves the confidence of those it rests on. */
const CHANGES = new Set(['write', 'delete', 'expire', 'erase', 'outcome', 'rollback', 'cherry_pick', 'branch_merged']);

/** Whether an event of the log may have changed what is there. An event without an address concerns all of them. */
export function mayHaveChanged(resource: ResourceAddress, event: JsonObject, agent_id: string): boolean {
  if (resource.kind === 'timeline') return event.agent_id === agent_id;
  if (!CHANGES.has(event.event_type as string)) return false;
  if (resource.kind !== 'entry') return true;
  const { entity_path, key } = resource;
  return (event.entity_path ?? entity_path) === entity_path && (event.key ?? key) === key;
}
