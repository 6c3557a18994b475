import { expect } from 'vitest';
import { PagerDutyConnector } from '../../packages/server/src/connectors/pagerduty/index.ts';
import { entriesAfter } from './deliveries.ts';

export const connector = new PagerDutyConnector();
export const AGENT = {
  id: 'PVMGSML',
  type: 'user_reference',
  summary: 'Maeve Ito',
  html_url: 'https://acme.pagerduty.com/users/PVMGSML',
};
export const REFERENCE = {
  id: 'PGR0VU2',
  type: 'incident_reference',
  summary: 'Payments are slow',
  html_url: 'https://acme.pagerduty.com/incidents/PGR0VU2',
};
export const PATH = 'incidents/pagerduty/checkout-api';

export const deliver = (event_type: string, minute: number, data: object) => ({
  event: {
    id: `${event_type}-${minute}`,
    event_type,
    resource_type: 'incident',
    occurred_at: `2026-01-31T12:${String(minute).padStart(2, '0')}:00.000Z`,
    agent: AGENT,
    client: null,
    data,
  },
});

export const incident = (status: string, members: object = {}) => ({
  ...REFERENCE,
  type: 'incident',
  number: 2,
  status,
  title: 'Payments are slow',
  created_at: '2026-01-31T12:00:00Z',
  service: { id: 'PF9KMXH', type: 'service_reference', summary: 'checkout api' },
  assignees: [{ id: 'PTUXL6G', type: 'user_reference', summary: 'Ann Lee' }],
  escalation_policy: { id: 'PUS0KTE', type: 'escalation_policy_reference', summary: 'Default' },
  teams: [{ id: 'PFCVPS0', type: 'team_reference', summary: 'Engineering' }],
  priority: null,
  urgency: 'high',
  conference_bridge: null,
  resolve_reason: null,
  ...members,
});

/** The entry that deliveries about one incident leave. */
export const onlyEntryAfter = (payloads: readonly unknown[]) => {
  const entries = entriesAfter(connector, payloads);
  expect(Object.keys(entries)).toEqual([`${PATH}/incident-PGR0VU2`]);
  return entries[`${PATH}/incident-PGR0VU2`];
};
