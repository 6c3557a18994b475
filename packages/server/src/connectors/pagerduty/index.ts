import { objectOf, textOf } from '../members.ts';
import type { Connector, ConnectorResult, DeliveryName, InboundEvent } from '../types.ts';
import { type PagerDutyEvent, readEvents } from './event.ts';
import { incidentResult } from './incident.ts';
import { partResult } from './parts.ts';
import { otherContext } from './services.ts';

export class PagerDutyConnector implements Connector {
  identify(payload: unknown, headers: Readonly<Record<string, string>>): Partial<DeliveryName> {
    const events = readEvents(payload);
    const [first] = events;
    const name: Partial<DeliveryName> = {};
    if (first) name.event_type = first.type;
    const ids = events.map((event) => event.id);
    const id = ids.length > 0 && !ids.includes(undefined) ? ids.join(',') : textOf(headers['x-webhook-id']);
    if (id !== undefined) name.id = id;
    return name;
  }

  transform(event: InboundEvent): readonly ConnectorResult[] {
    return readEvents(event.payload).flatMap(resultsOf);
  }
}

function resultsOf(event: PagerDutyEvent): ConnectorResult[] {
  const result = resultOf(event);
  return result ? [result] : [];
}

function resultOf(event: PagerDutyEvent): ConnectorResult | undefined {
  const isAboutIncident = event.type.startsWith('incident.');
  if (!isAboutIncident) return otherContext(event);
  const isPart = textOf(objectOf(event.data.incident).id) !== undefined || 'incident_role_assignments' in event.data;
  return (isPart ? partResult(event) : incidentResult(event)) ?? otherContext(event);
}
