import { expect, test } from 'vitest';
import { ordersOf } from './deliveries.ts';
import { AGENT, deliver, incident, onlyEntryAfter, REFERENCE } from './pagerduty-events.ts';

test('reassignments, priorities and escalation policies change the incident', () => {
  const priority = { id: 'PSO75BM', type: 'priority_reference', summary: 'P1' };
  const entry = onlyEntryAfter([
    deliver('incident.triggered', 0, incident('triggered')),
    deliver('incident.priority_updated', 1, incident('triggered', { priority })),
    deliver('incident.reassigned', 2, incident('triggered', { priority, assignees: [AGENT] })),
    deliver(
      'incident.delegated',
      3,
      incident('triggered', { priority, assignees: [AGENT], escalation_policy: { summary: 'DBA' } }),
    ),
    deliver(
      'incident.escalated',
      4,
      incident('triggered', { priority, assignees: [AGENT], escalation_policy: { summary: 'DBA' } }),
    ),
  ]);
  expect(entry).toMatchObject({ severity: 'P1', priority: 'P1', assignees: ['Maeve Ito'], escalation_policy: 'DBA' });
  expect(entry?.timeline).toHaveLength(5);
});

test('what is added to an incident is listed in it', () => {
  const part = (data: object) => ({ incident: REFERENCE, ...data });
  const responder = { type: 'incident_responder', user: AGENT, message: 'Please help', state: 'pending' };
  const role = { incident: REFERENCE, role: { id: 'R1', summary: 'Commander' }, assignee: AGENT, status: 'active' };
  const entry = onlyEntryAfter([
    deliver('incident.triggered', 0, incident('triggered')),
    deliver(
      'incident.status_update_published',
      1,
      part({ id: 'S1', message: 'A fix is being made', type: 'incident_status_update' }),
    ),
    deliver('incident.responder.added', 2, part(responder)),
    deliver('incident.responder.replied', 3, part({ ...responder, state: 'accepted' })),
    deliver('incident.role.assigned', 4, { type: 'incident_role_assignment', incident_role_assignments: [role] }),
    deliver(
      'incident.task.created',
      5,
      part({ id: 'T1', name: 'Write the review', status: 'todo', assignees: [AGENT] }),
    ),
    deliver('incident.conference_bridge.updated', 6, part({ conference_url: 'https://meet.example/1' })),
    deliver(
      'incident.custom_field_values.updated',
      7,
      part({ custom_fields: [{ name: 'environment', value: 'production' }] }),
    ),
    deliver('incident.workflow.started', 8, part({ id: 'W1', incident_workflow: { summary: 'Major incident' } })),
    deliver('incident.workflow.completed', 9, part({ id: 'W1', incident_workflow: { summary: 'Major incident' } })),
    deliver(
      'incident.action_invocation.created',
      10,
      part({ id: 'A1', action: { summary: 'Restart' }, state: 'created' }),
    ),
  ]);
  expect(entry).toMatchObject({
    status: 'triggered',
    conference_url: 'https://meet.example/1',
    custom_fields: { environment: 'production' },
    status_updates: [{ id: 'S1', text: 'A fix is being made' }],
    responders: [{ id: 'PVMGSML', name: 'Maeve Ito', state: 'accepted', message: 'Please help' }],
    roles: [{ id: 'R1', role: 'Commander', name: 'Maeve Ito' }],
    tasks: [{ id: 'T1', name: 'Write the review', status: 'todo', assignees: ['Maeve Ito'] }],
    workflows: [{ id: 'W1', name: 'Major incident', state: 'completed' }],
    actions: [{ id: 'A1', name: 'Restart', state: 'created' }],
  });
});

test('a role that is taken from a person is not listed any more', () => {
  const role = (assignee: object | null) => ({
    incident_role_assignments: [{ incident: REFERENCE, role: { id: 'R1', summary: 'Commander' }, assignee }],
  });
  const given = deliver('incident.role.assigned', 1, role(AGENT));
  const taken = deliver('incident.role.assigned', 2, role(null));
  for (const order of ordersOf([deliver('incident.triggered', 0, incident('triggered')), given, taken]))
    expect(onlyEntryAfter(order)).not.toHaveProperty('roles');
});
