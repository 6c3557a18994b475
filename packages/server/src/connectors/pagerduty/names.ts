import { labelOf } from '../labels.ts';
import { listOf, type Members, objectOf, textOf } from '../members.ts';
import { personNode } from '../references.ts';
import { cutText, keyOf, pathSegment } from '../text.ts';
import type { ResultLink } from '../types.ts';
import type { PagerDutyEvent } from './event.ts';

export const ROOT_PATH = 'incidents/pagerduty';
const MAX_NAMES = 50;

/** A reference to a thing has its name in `summary`, a thing itself in `name`. */
export function nameOf(reference: unknown): string | undefined {
  const { name, summary, id } = objectOf(reference);
  return labelOf(name) ?? labelOf(summary) ?? labelOf(id);
}

export const namesOf = (references: unknown): string[] =>
  listOf(references)
    .slice(0, MAX_NAMES)
    .map(nameOf)
    .filter((name) => name !== undefined);

/** A member that a payload leaves out says nothing; one that is null or without a name says that there is none. */
export const nameIn = (data: Members, member: string): string | null | undefined =>
  Object.hasOwn(data, member) ? (labelOf(data[member]) ?? nameOf(data[member]) ?? null) : undefined;

export function servicePath(service: unknown): string | undefined {
  const name = nameOf(service);
  return name === undefined ? undefined : `${ROOT_PATH}/${pathSegment(name)}`;
}

export const incidentKey = (id: string): string => keyOf('incident', id);

/** Services and integrations act too, and are no people. */
const isUser = (reference: unknown): boolean => textOf(objectOf(reference).type)?.startsWith('user') ?? false;

/** Edges to those of the references that are people. */
export function peopleLinks(relation: string, references: readonly unknown[]): ResultLink[] {
  return references.slice(0, MAX_NAMES).flatMap((reference) => {
    // Two people may have one name.
    const id = isUser(reference) ? (textOf(objectOf(reference).id) ?? nameOf(reference)) : undefined;
    return id === undefined ? [] : [{ relation, to: personNode('pagerduty', id) }];
  });
}

const RELATIONS = new Map(
  Object.entries({
    'incident.triggered': 'triggered_by',
    'incident.acknowledged': 'acknowledged_by',
    'incident.resolved': 'resolved_by',
    'incident.reopened': 'reopened_by',
    'incident.annotated': 'annotated_by',
  }),
);

export const agentLinks = (event: PagerDutyEvent): ResultLink[] =>
  peopleLinks(RELATIONS.get(event.type) ?? 'changed_by', [event.agent]);

const RANKS = new Map(
  Object.entries({
    'incident.triggered': 10,
    'incident.acknowledged': 20,
    'incident.unacknowledged': 25,
    'incident.resolved': 30,
    'incident.reopened': 35,
  }),
);
const RANKS_OF_STATES = new Map(Object.entries({ triggered: 11, acknowledged: 21, resolved: 29 }));

/** Which of two events of the same time came later. */
export const rankOf = ({ type, data }: PagerDutyEvent): number =>
  RANKS.get(type) ?? RANKS_OF_STATES.get(textOf(data.status) ?? '') ?? 0;

/** `incident.responder.added` as `responder added`. */
export const actionOf = (type: string): string =>
  cutText(type.replace(/^(incident|service)\./, '').replace(/[._]/g, ' '), 100);
