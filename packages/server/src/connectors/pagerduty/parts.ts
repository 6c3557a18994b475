import { type Items, listsOf } from '../items.ts';
import { idOf, labelOf } from '../labels.ts';
import { known, listOf, type Members, objectOf, textOf } from '../members.ts';
import { linksIn, webPages } from '../references.ts';
import { cutText } from '../text.ts';
import type { EntryResult, ResultItem, ResultLink } from '../types.ts';
import { customFields } from './custom-fields.ts';
import type { PagerDutyEvent } from './event.ts';
import { orderOf, placed, timelineItem } from './incident.ts';
import { agentLinks, nameOf, namesOf, peopleLinks, servicePath } from './names.ts';
import { NOTE_CHARACTERS, noteItem, resolutionOf } from './notes.ts';

/** What an event adds to an incident that it only refers to. */
type IncidentPart = {
  value?: Members;
  items?: Readonly<Record<string, Items | undefined>>;
  texts?: readonly (string | undefined)[];
  pages?: readonly unknown[];
  links?: readonly ResultLink[];
};

/** A note, a status update, a responder and the like: the event shows these, and of the incident only its name. */
export function partResult(event: PagerDutyEvent): EntryResult | undefined {
  const { data } = event;
  const incident = objectOf(data.incident ?? objectOf(listOf(data.incident_role_assignments)[0]).incident);
  const id = textOf(incident.id);
  if (id === undefined) return undefined;
  const part = partOf(event);
  const url = webPages(incident.html_url)[0];
  return {
    ...placed(id, servicePath(data.service)),
    value: known({ title: titleOf(incident), ...part.value, url }),
    items: listsOf({ timeline: timelineItem(event), ...part.items }),
    ...orderOf(event),
    artifact_refs: webPages(url, ...(part.pages ?? [])),
    links: [...(part.links ?? []), ...agentLinks(event), ...linksIn(part.texts ?? [])],
  };
}

/** References of v2 have the number before the title. */
function titleOf(incident: Members): string | undefined {
  return labelOf(incident.summary)?.replace(/^\[#\d+\] /, '');
}

function partOf(event: PagerDutyEvent): IncidentPart {
  switch (event.type.split('.')[1]) {
    case 'annotated':
      return notePart(event);
    case 'status_update_published':
      return { items: { status_updates: noteItem(event, event.data) }, texts: [textOf(event.data.message)] };
    case 'responder':
      return responderPart(event);
    case 'role':
      return rolePart(event);
    case 'task':
      return taskPart(event);
    case 'conference_bridge':
      return { value: { conference_url: webPages(event.data.conference_url)[0] ?? null } };
    case 'custom_field_values':
      return fieldsPart(event);
    case 'workflow':
      return runPart(event, 'workflows', event.data.incident_workflow);
    case 'action_invocation':
      return runPart(event, 'actions', event.data.action);
    default:
      return {};
  }
}

function notePart(event: PagerDutyEvent): IncidentPart {
  const text = textOf(event.data.content);
  return { value: resolutionOf(text), items: { notes: noteItem(event, event.data) }, texts: [text] };
}

/** A person who was asked to help, or everybody on call by an escalation policy. */
function responderPart(event: PagerDutyEvent): IncidentPart {
  const { user, escalation_policy, message, state } = event.data;
  const target = textOf(objectOf(user).id) === undefined ? escalation_policy : user;
  const text = textOf(message);
  const item = {
    name: nameOf(target),
    state: labelOf(state) ?? event.type.split('.')[2],
    message: text === undefined ? undefined : cutText(text, NOTE_CHARACTERS),
  };
  return {
    items: { responders: itemOf(event, objectOf(target).id, item) },
    texts: [text],
    links: peopleLinks('responder', [user]),
  };
}

const MAX_ROLES = 20;

function rolePart(event: PagerDutyEvent): IncidentPart {
  const given = listOf(event.data.incident_role_assignments).slice(0, MAX_ROLES).map(objectOf);
  const roles = given.map(({ role, assignee }) => {
    const name = nameOf(assignee);
    const id = objectOf(role).id;
    return name === undefined ? removed(id) : itemOf(event, id, { role: nameOf(role), name });
  });
  const links = peopleLinks(
    'responder',
    given.map(({ assignee }) => assignee),
  );
  return { items: { roles: Object.assign({}, ...roles) }, links };
}

const removed = (id: unknown): Record<string, null> => {
  const name = idOf(id);
  return name === undefined ? {} : { [name]: null };
};

function taskPart(event: PagerDutyEvent): IncidentPart {
  const { id, name, summary, status, description, assignees } = event.data;
  const title = labelOf(name) ?? labelOf(summary);
  const item = {
    name: title,
    status: labelOf(status),
    assignees: namesOf(assignees),
  };
  return {
    items: { tasks: itemOf(event, id, item) },
    texts: [title, textOf(description)],
    links: peopleLinks('assigned_to', listOf(assignees)),
  };
}

function fieldsPart(event: PagerDutyEvent): IncidentPart {
  const { value, texts } = customFields(event.data.custom_fields);
  return { value, texts, pages: texts };
}

/** A workflow or an action that runs, by what was started. */
function runPart(event: PagerDutyEvent, list: string, started: unknown): IncidentPart {
  const { id, state, summary, html_url } = event.data;
  const name = nameOf(started) ?? labelOf(summary);
  const item = { name, state: labelOf(state) ?? event.type.split('.')[2], url: webPages(html_url)[0] };
  return { items: { [list]: itemOf(event, id, item) }, pages: [html_url] };
}

function itemOf(event: PagerDutyEvent, id: unknown, members: Members): Record<string, ResultItem> | undefined {
  const name = idOf(id);
  if (name === undefined || event.occurred_at === undefined) return undefined;
  return { [name]: { at: event.occurred_at, ...known(members) } };
}
