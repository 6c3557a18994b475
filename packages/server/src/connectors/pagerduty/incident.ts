import { listsOf } from '../items.ts';
import { idOf, labelOf } from '../labels.ts';
import { known, type Members, numberOf, objectOf, textOf } from '../members.ts';
import { linksIn, webPages } from '../references.ts';
import { cutText, timeOf } from '../text.ts';
import type { EntryResult, ResultItem } from '../types.ts';
import { customFields } from './custom-fields.ts';
import type { PagerDutyEvent } from './event.ts';
import {
  actionOf,
  agentLinks,
  incidentKey,
  nameIn,
  nameOf,
  namesOf,
  peopleLinks,
  ROOT_PATH,
  rankOf,
  servicePath,
} from './names.ts';
import { noteItem, resolutionOf } from './notes.ts';

/** An incident as an event shows it whole. */
export function incidentResult(event: PagerDutyEvent): EntryResult | undefined {
  const { data } = event;
  const id = textOf(data.id);
  if (id === undefined) return undefined;
  const fields = customFields(data.custom_fields);
  const note = textOf(objectOf(data.note).content);
  const assignees = Array.isArray(data.assignees) ? data.assignees : [];
  return {
    ...placed(id, servicePath(data.service)),
    value: known({
      ...stateOf(event),
      ...turningPoints(event),
      ...detailsOf(data),
      ...fields.value,
      ...resolutionOf(note),
    }),
    items: listsOf({
      timeline: timelineItem(event, namesOf(assignees)),
      notes: note === undefined ? undefined : noteItem(event, objectOf(data.note)),
    }),
    ...orderOf(event),
    artifact_refs: webPages(data.html_url, ...fields.texts),
    links: [
      ...peopleLinks('assigned_to', assignees),
      ...agentLinks(event),
      ...linksIn([textOf(data.title), textOf(data.description), note, ...fields.texts]),
    ],
    ...(event.type === 'incident.resolved' && { outcome: { outcome_ref: cutText(id, 500), outcome_type: 'success' } }),
  };
}

/** Where the entry of an incident is. Events about notes and the like leave out its service. */
export const placed = (id: string, path: string | undefined) => ({
  operation: 'write' as const,
  entity_path: path ?? ROOT_PATH,
  key: incidentKey(id),
  thing: incidentKey(id),
  ...(path === undefined && { unplaced: true }),
  merge: true,
});

export function orderOf(event: PagerDutyEvent): { occurred_at?: string; rank: number } {
  const rank = rankOf(event);
  return event.occurred_at === undefined ? { rank } : { occurred_at: event.occurred_at, rank };
}

function stateOf({ data }: PagerDutyEvent): Members {
  const priority = nameIn(data, 'priority');
  const urgency = nameIn(data, 'urgency');
  return {
    status: labelOf(data.status),
    title: labelOf(data.title) ?? labelOf(data.summary),
    severity: labelOf(data.severity) ?? priority ?? urgency,
    priority,
    urgency,
    service: nameOf(data.service),
    assignees: Array.isArray(data.assignees) ? namesOf(data.assignees) : undefined,
    escalation_policy: nameIn(data, 'escalation_policy'),
    teams: Array.isArray(data.teams) ? namesOf(data.teams) : undefined,
  };
}

/** When the incident changed its state, and who changed it. Only the event of the change shows this. */
function turningPoints(event: PagerDutyEvent): Members {
  const at = event.occurred_at;
  const by = nameOf(event.agent) ?? null;
  const triggered_at = timeOf(event.data.created_at) ?? (event.type === 'incident.triggered' ? at : undefined);
  switch (event.type) {
    case 'incident.acknowledged':
      return { triggered_at, acknowledged_at: at, acknowledged_by: by };
    case 'incident.unacknowledged':
      return { triggered_at, acknowledged_at: null, acknowledged_by: null };
    case 'incident.resolved':
      return { triggered_at, resolved_at: at, resolved_by: by };
    case 'incident.reopened':
      return { triggered_at, reopened_at: at, reopened_by: by, resolved_at: null, resolved_by: null };
    default:
      return { triggered_at };
  }
}

function detailsOf(data: Members): Members {
  const reason = objectOf(data.resolve_reason);
  return {
    number: numberOf(data.number),
    incident_type: nameIn(data, 'incident_type'),
    resolve_reason: labelOf(data.resolve_reason) ?? labelOf(reason.type),
    merged_into: labelOf(objectOf(reason.incident).id),
    incident_key: labelOf(data.incident_key),
    url: webPages(data.html_url)[0],
    conference_url: webPages(objectOf(data.conference_bridge).conference_url)[0],
  };
}

/** The life of the incident, also where events arrive too late to change its state. */
export function timelineItem(
  event: PagerDutyEvent,
  to: readonly string[] = [],
): Record<string, ResultItem> | undefined {
  if (event.occurred_at === undefined) return undefined;
  const item = { at: event.occurred_at, event: actionOf(event.type), by: nameOf(event.agent) };
  return {
    [idOf(event.id) ?? `${actionOf(event.type)} ${event.occurred_at}`]: known(
      to.length === 0 ? item : { ...item, assignees: to },
    ),
  };
}
