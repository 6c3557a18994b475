import { expect, test } from 'vitest';
import { entriesAfter, onlyContextOf, onlyWriteOf, ordersOf, payloadsOf, rawWrite, resultsOf } from './deliveries.ts';
import { AGENT, connector, deliver, incident, onlyEntryAfter, PATH, REFERENCE } from './pagerduty-events.ts';

const recorded = payloadsOf('pagerduty');

test.each([...recorded])('the recorded delivery %s becomes one entry of its incident', (_, payload) => {
  const write = onlyWriteOf(connector, payload);
  expect(write.entity_path).toMatch(/^incidents\/pagerduty\/(pig208|Production-XDB-Cluster)$/);
  expect(write.key).toMatch(/^incident-P[A-Z0-9]{6}$/);
  expect(write.value).toMatchObject({
    status: expect.any(String),
    title: expect.any(String),
    escalation_policy: 'Default',
  });
  expect(write.occurred_at).toMatch(/^20(17|21)-/);
  expect(write.artifact_refs).toEqual([expect.stringContaining('/incidents/')]);
});

test('a delivery is named by the id and type of its event, in either form', () => {
  expect(connector.identify(recorded.get('resolved_v3'), {})).toEqual({
    event_type: 'incident.resolved',
    id: '01BZYH1JJY09P9LEIST8HG2PMN',
  });
  expect(connector.identify(recorded.get('resolve_v2'), {})).toEqual({
    event_type: 'incident.resolved',
    id: 'e82195c0-a2cd-11e7-8f69-22000affca53',
  });
  expect(connector.identify({ event: { event_type: 'pagey.ping' } }, { 'x-webhook-id': 'w1' })).toEqual({
    event_type: 'pagey.ping',
    id: 'w1',
  });
  expect(connector.identify({}, {})).toEqual({});
});

test('the first members of an incident are its status, title, service and people', () => {
  const { value, links } = onlyWriteOf(connector, deliver('incident.triggered', 0, incident('triggered')));
  expect(Object.keys(value).slice(0, 7)).toEqual([
    'status',
    'title',
    'severity',
    'priority',
    'urgency',
    'service',
    'assignees',
  ]);
  expect(value).toMatchObject({ severity: 'high', teams: ['Engineering'], triggered_at: '2024-01-31T12:00:00.000Z' });
  expect(links).toContainEqual({ relation: 'assigned_to', to: 'people/pagerduty/PTUXL6G' });
  expect(links).toContainEqual({ relation: 'triggered_by', to: 'people/pagerduty/PVMGSML' });
});

test('a service that triggers an incident is not taken for a person', () => {
  const agent = { id: 'PF9KMXH', type: 'service_reference', summary: 'checkout api' };
  const { event } = deliver('incident.triggered', 0, incident('triggered', { assignees: [] }));
  expect(onlyWriteOf(connector, { event: { ...event, agent } }).links).toEqual([]);
});

test('the life of an incident ends in the same state in all orders of its deliveries', () => {
  const life = [
    deliver('incident.triggered', 0, incident('triggered')),
    deliver('incident.acknowledged', 5, incident('acknowledged')),
    deliver('incident.annotated', 9, {
      incident: REFERENCE,
      id: 'N1',
      type: 'incident_note',
      content: 'Resolution Note: rolled back',
    }),
    deliver('incident.resolved', 10, incident('resolved', { assignees: [] })),
  ];
  for (const order of ordersOf(life)) {
    expect(onlyEntryAfter(order)).toEqual({
      status: 'resolved',
      title: 'Payments are slow',
      severity: 'high',
      priority: null,
      urgency: 'high',
      service: 'checkout api',
      assignees: [],
      escalation_policy: 'Default',
      teams: ['Engineering'],
      triggered_at: '2024-01-31T12:00:00.000Z',
      acknowledged_at: '2024-01-31T12:05:00.000Z',
      acknowledged_by: 'Maeve Ito',
      resolved_at: '2024-01-31T12:10:00.000Z',
      resolved_by: 'Maeve Ito',
      number: 2,
      url: 'https://acme.pagerduty.com/incidents/PGR0VU2',
      resolution_notes: 'rolled back',
      notes: [{ id: 'N1', at: '2024-01-31T12:09:00.000Z', by: 'Maeve Ito', text: 'Resolution Note: rolled back' }],
      timeline: ['triggered', 'acknowledged', 'annotated', 'resolved'].map((event) =>
        expect.objectContaining({ event }),
      ),
    });
  }
});

test('of two events of the same time the later state counts', () => {
  const [triggered, acknowledged, resolved] = ['triggered', 'acknowledged', 'resolved'].map((status) =>
    deliver(`incident.${status}`, 0, incident(status)),
  );
  for (const order of ordersOf([triggered, acknowledged, resolved]))
    expect(onlyEntryAfter(order)).toMatchObject({ status: 'resolved' });
});

test('an incident that is reopened is not resolved any more', () => {
  const life = [
    deliver('incident.resolved', 10, incident('resolved')),
    deliver('incident.reopened', 20, incident('triggered')),
    deliver('incident.acknowledged', 21, incident('acknowledged')),
    deliver('incident.unacknowledged', 22, incident('triggered')),
  ];
  for (const order of ordersOf(life))
    expect(onlyEntryAfter(order)).toMatchObject({
      status: 'triggered',
      resolved_at: null,
      resolved_by: null,
      acknowledged_at: null,
      reopened_at: '2024-01-31T12:20:00.000Z',
    });
});

test('an incident that is moved to another service takes its notes along', () => {
  const moved = incident('triggered', { service: { type: 'service_reference', summary: 'billing' } });
  const life = [
    deliver('incident.triggered', 0, incident('triggered')),
    deliver('incident.annotated', 1, { incident: REFERENCE, id: 'N1', type: 'incident_note', content: 'one' }),
    deliver('incident.service_updated', 2, moved),
    deliver('incident.annotated', 3, { incident: REFERENCE, id: 'N2', type: 'incident_note', content: 'two' }),
  ];
  for (const order of ordersOf(life))
    expect(entriesAfter(connector, order)).toEqual({
      'incidents/pagerduty/billing/incident-PGR0VU2': expect.objectContaining({
        service: 'billing',
        notes: [expect.objectContaining({ text: 'one' }), expect.objectContaining({ text: 'two' })],
      }),
    });
});

test('an incident gets edges to the commits, pull requests and issues that it names', () => {
  const content = `See https://github.com/acme/shop/pull/12, PAY-7 and https://github.com/acme/shop/commit/${'a1'.repeat(20)}`;
  const { links } = onlyWriteOf(
    connector,
    deliver('incident.annotated', 1, { incident: REFERENCE, id: 'N1', content }),
  );
  expect(links).toEqual([
    { relation: 'annotated_by', to: 'people/pagerduty/PVMGSML' },
    { relation: 'mentions', to: 'repos/acme/shop/pr-12' },
    { relation: 'mentions', to: `repos/acme/shop/commit-${'a1'.repeat(20)}` },
    { relation: 'mentions', to: 'projects/jira/PAY/issue-PAY-7' },
  ]);
});

test('only an incident that is resolved is an outcome', () => {
  const outcomes = ['triggered', 'acknowledged', 'resolved'].map(
    (status) => onlyWriteOf(connector, deliver(`incident.${status}`, 0, incident(status))).outcome,
  );
  expect(outcomes).toEqual([undefined, undefined, { outcome_ref: 'PGR0VU2', outcome_type: 'success' }]);
});

test('a note of the older form is a note of its incident', () => {
  const [message] = (recorded.get('acknowledge_v2') as { messages: object[] }).messages;
  const log_entries = [
    { id: 'L1', type: 'annotate_log_entry', agent: AGENT, channel: { type: 'note', summary: 'disk is full' } },
  ];
  const { value, items } = onlyWriteOf(connector, {
    messages: [{ ...message, event: 'incident.annotate', log_entries }],
  });
  expect(value).toMatchObject({ status: 'acknowledged', service: 'Production XDB Cluster' });
  expect(items?.notes).toEqual({ L1: { at: '2017-09-26T15:15:17.000Z', by: 'Maeve Ito', text: 'disk is full' } });
});

test('what happens to a service is recorded below its path', () => {
  const data = { id: 'PF9KMXH', type: 'service', summary: 'checkout api' };
  expect(onlyContextOf(connector, deliver('service.updated', 1, data))).toEqual({
    operation: 'record_context',
    label: 'service.updated',
    summary: 'checkout api: updated by Maeve Ito',
    source: 'pagerduty',
    entity_path: PATH,
  });
  const ping = {
    event: { event_type: 'pagey.ping', data: { message: 'Hello from your friend Pagey!', type: 'ping' } },
  };
  expect(onlyContextOf(connector, ping)).toMatchObject({ label: 'pagey.ping', entity_path: 'incidents/pagerduty' });
});

test('a body that is no event of PagerDuty is kept as it came', () => {
  for (const payload of [null, 1, 'text', [], {}, { event: null }, { messages: [null, 7, {}] }])
    expect(resultsOf(connector, payload)).toEqual([rawWrite('incidents/pagerduty', payload)]);
});
