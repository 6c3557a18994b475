import { SELF_CALLER, type Work } from '@mem-service/server/module';
import { dropOldChanges, type IncidentRow, insertChanges } from './queries.ts';

/** So many changes of an incident are kept. */
export const MAX_CHANGES = 100;

export type IncidentChange = {
  change: 'opened' | 'grown' | 'acknowledged' | 'muted' | 'resolved' | 'reopened';
  author?: { agent_id: string; session: string };
  reason?: string;
};

/** Reports a change in the log and on the timeline of the incident. Returns the place in the log. */
export function reportChange(
  work: Work,
  incident: IncidentRow,
  { change, author, reason = '' }: IncidentChange,
): number {
  const { account_id, tx, now } = work;
  const { incident_id, source_kind, source_id, of_agent, branch, visible_to, failures, muted_until } = incident;
  const actor = author?.agent_id ?? SELF_CALLER.agent_id;
  const isOwn = author === undefined;
  const seq = work.emit({
    event_type: `incident_${change}`,
    agent_id: of_agent === '' ? actor : of_agent,
    ...{ branch, visible_to, entity_path: null, key: null, version: null },
    details: { incident_id, source_kind, source_id, ...(isOwn ? { failures } : {}) },
    ...(author ? { session: author.session } : {}),
    actor_agent_id: actor,
  });
  const row = {
    ...{ account_id, incident_id, seq, change, agent_id: actor, of_agent, visible_to, reason, created_at: now },
    ...{ failures: isOwn ? failures : null, muted_until: change === 'muted' ? muted_until : null },
  };
  work.send(tx.insertMany(insertChanges, [row]));
  work.send(dropOldChanges(tx, account_id, { incident_id, kept: MAX_CHANGES }));
  return seq;
}
