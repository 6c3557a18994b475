import { objectOf, textOf } from '../members.ts';
import { rawResult } from '../raw-result.ts';
import type { Connector, ConnectorResult, DeliveryName, InboundEvent } from '../types.ts';
import { type PagerDutyEvent, readEvents } from './event.ts';
import { incidentResult } from './incident.ts';
import { ROOT_PATH } from './names.ts';
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
    const results = readEvents(event.payload).map(resultOf);
    return results.length > 0 ? results : [rawResult(event, ROOT_PATH)];
  }
}

function resultOf(event: PagerDutyEvent): ConnectorResult {
  const isAboutIncident = event.type.startsWith('incident.');
  if (!isAboutIncident) return otherContext(event);
  const isPart = textOf(objectOf(event.data.incident).id) !== undefined || 'incident_role_assignments' in event.data;
  return (isPart ? partResult(event) : incidentResult(event)) ?? otherContext(event);
}
