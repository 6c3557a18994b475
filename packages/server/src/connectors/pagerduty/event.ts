import { listOf, type Members, objectOf, textOf } from '../members.ts';
import { timeOf } from '../text.ts';

/** What happened, in the form of v3, also where the delivery has the older form. */
export type PagerDutyEvent = {
  id?: string;
  type: string;
  occurred_at?: string;
  agent: Members;
  data: Members;
};

const MAX_MESSAGES = 100;

/** The events of a delivery: one in v3, some in v2, none in anything else. */
export function readEvents(payload: unknown): PagerDutyEvent[] {
  const { event, messages } = objectOf(payload);
  if (Array.isArray(messages)) return messages.slice(0, MAX_MESSAGES).flatMap(readMessage);
  const { id, event_type, occurred_at, agent, data } = objectOf(event);
  return eventOf({ id, type: event_type, occurred_at, agent, data });
}

type EventParts = Readonly<Record<'id' | 'type' | 'occurred_at' | 'agent' | 'data', unknown>>;

function eventOf(parts: EventParts): PagerDutyEvent[] {
  if (typeof parts.type !== 'string' || parts.type === '') return [];
  const event: PagerDutyEvent = { type: parts.type, agent: objectOf(parts.agent), data: objectOf(parts.data) };
  const id = textOf(parts.id);
  const at = timeOf(parts.occurred_at);
  if (id !== undefined) event.id = id;
  if (at !== undefined) event.occurred_at = at;
  return [event];
}

const TYPES_OF_V2 = new Map(
  Object.entries({
    'incident.trigger': 'incident.triggered',
    'incident.acknowledge': 'incident.acknowledged',
    'incident.unacknowledge': 'incident.unacknowledged',
    'incident.resolve': 'incident.resolved',
    'incident.assign': 'incident.reassigned',
    'incident.escalate': 'incident.escalated',
    'incident.delegate': 'incident.delegated',
    'incident.annotate': 'incident.annotated',
  }),
);

function readMessage(message: unknown): PagerDutyEvent[] {
  const { id, event, created_on, incident, log_entries } = objectOf(message);
  if (typeof event !== 'string') return [];
  const type = TYPES_OF_V2.get(event) ?? event;
  const entry = objectOf(listOf(log_entries)[0]);
  const data = incidentOfV2(objectOf(incident), type === 'incident.annotated' ? entry : {});
  return eventOf({ id, type, occurred_at: created_on, agent: entry.agent, data });
}

function incidentOfV2(incident: Members, noteEntry: Members): Members {
  const { incident_number, assignments, trigger_summary_data, ...rest } = incident;
  const data: Record<string, unknown> = { ...rest };
  if (incident_number !== undefined) data.number = incident_number;
  if (Array.isArray(assignments)) data.assignees = assignments.map((assignment) => objectOf(assignment).assignee);
  const note = textOf(objectOf(noteEntry.channel).summary) ?? textOf(objectOf(noteEntry.channel).content);
  if (note !== undefined) data.note = { id: noteEntry.id, content: note };
  return data;
}
