import { expect, test } from 'vitest';
import { entriesAfter, onlyContextOf, onlyWriteOf, payloadsOf, resultsOf, writesOf } from './deliveries.ts';
import { connector, deliver, issue, minuteOf, SITE, USER } from './jira-events.ts';

const recorded = payloadsOf('jira');
const payloadOf = (name: string) => recorded.get(name);

const WITHOUT_ISSUE = [
  'zulip-comment-created-no-issue-details',
  'zulip-example-anomalous-payload',
  'mattermost-server-comment-created',
];

test.each([...recorded.keys()].filter((name) => !WITHOUT_ISSUE.includes(name)))(
  'the recorded delivery %s becomes one entry of its issue',
  (name) => {
    const write = onlyWriteOf(connector, payloadOf(name));
    const [, project] = /^issue-([A-Z]+)-\d+$/.exec(write.key) ?? [];
    expect(write.entity_path).toBe(`projects/jira/${project}`);
    expect(write.value).toMatchObject({ key: write.key.slice('issue-'.length), summary: expect.any(String) });
    expect(write.occurred_at).toMatch(/^20(1\d|24)-/);
    expect(write.artifact_refs).toEqual([expect.stringMatching(/^https?:\/\/[^/]+\/browse\/[A-Z]+-\d+$/)]);
    expect(write.deleted ?? false).toBe(/issue-deleted$/.test(name));
  },
);

test('a comment of a server that does not name its issue is recorded', () => {
  expect(onlyContextOf(connector, payloadOf('mattermost-server-comment-created'))).toEqual({
    operation: 'record_context',
    label: 'comment_created',
    summary: 'comment created: unik (Lev Brouk)',
    source: 'jira',
    entity_path: 'projects/jira',
  });
});

test('a body that is no event of Jira has no results', () => {
  for (const payload of [null, 1, 'text', [], {}, { issue: 7 }, payloadOf('zulip-example-anomalous-payload')])
    expect(resultsOf(connector, payload)).toEqual([]);
});

test('a delivery has the id of its header, else none of its own', () => {
  const payload = payloadOf('mattermost-issue-created');
  expect(connector.identify(payload, { 'x-atlassian-webhook-identifier': 'a1' })).toEqual({
    event_type: 'jira:issue_created',
    id: 'a1',
  });
  expect(connector.identify(payload, {})).toEqual({ event_type: 'jira:issue_created' });
});

test('an issue that is sent alone is not named by the id of the issue', () => {
  const updated = (status: string) => ({
    ...issue('PAY-7', { status: { name: status }, updated: '2026-01-31T12:00:00.000+0000' }),
  });
  const [first, second] = [updated('To Do'), updated('Done')].map((payload) => connector.identify(payload, {}));
  expect(first).toEqual({ event_type: 'jira:issue_updated', id: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(first).not.toEqual(second);
  expect(connector.identify(updated('Done'), {})).toEqual(second);
  expect(onlyWriteOf(connector, updated('Done'))).toMatchObject({
    key: 'issue-PAY-7',
    occurred_at: minuteOf(0),
    value: { status: 'Done' },
  });
});

test('the first members of an issue are its key, status, summary and people', () => {
  const { value } = onlyWriteOf(connector, payloadOf('mattermost-issue-updated-resolved'));
  expect(Object.keys(value).slice(0, 8)).toEqual([
    'key',
    'status',
    'summary',
    'type',
    'priority',
    'resolution',
    'assignee',
    'reporter',
  ]);
  expect(Object.keys(value).at(-1)).toBe('description');
  expect(value).toMatchObject({
    status: 'Done',
    resolution: 'Done',
    assignee: null,
    reporter: 'Test User',
    labels: ['test-label'],
    resolved_at: '2019-02-16T03:15:40.470Z',
  });
});

test('a transition is listed with from and to, who and when', () => {
  const { items } = onlyWriteOf(connector, payloadOf('mattermost-issue-updated-started-working'));
  expect(items?.transitions).toEqual({
    '10227': { at: '2019-02-16T03:14:22.039Z', from: 'To Do', to: 'In Progress', by: 'Test User' },
  });
  expect(onlyWriteOf(connector, payloadOf('mattermost-issue-created')).items).toEqual({});
});

test('a step of a workflow that calls the address itself is a transition', () => {
  const transition = { transitionName: 'Done', from_status: 'In Progress', to_status: 'Done' };
  const { webhookEvent: _, ...payload } = deliver('', 3, { issue: issue('PAY-7'), transition });
  expect(connector.identify(payload, {})).toEqual({ event_type: 'jira:issue_updated' });
  expect(onlyWriteOf(connector, payload).items?.transitions).toEqual({
    [minuteOf(3)]: { at: minuteOf(3), from: 'In Progress', to: 'Done', by: 'Ann Lee' },
  });
});

test('the sprint of an issue is that of its change, else that of its field', () => {
  expect(onlyWriteOf(connector, payloadOf('mattermost-issue-updated-sprint')).value.sprint).toBe('Sprint 2');
  const { value, links } = onlyWriteOf(connector, payloadOf('mattermost-cloud-issue-created-many-fields'));
  expect(value.sprint).toBe('SCRUM1 Sprint 1');
  expect(links).toContainEqual({ relation: 'in_sprint', to: 'projects/jira/board-2/sprint-1' });
});

test('people are named by their account in the cloud and by their name on a server', () => {
  const cloud = onlyWriteOf(connector, payloadOf('mattermost-issue-updated-assigned'));
  expect(cloud.links).toContainEqual({ relation: 'assigned_to', to: 'people/jira/5c5f880629be9642ba529340' });
  expect(cloud.value.assignee).toBe('Test User');
  const server = onlyWriteOf(connector, payloadOf('mattermost-server-issue-updated-commented-1'));
  expect(server.links).toContainEqual({ relation: 'assigned_to', to: 'people/jira/levbrouk' });
  expect(server.links).toContainEqual({ relation: 'reported_by', to: 'people/jira/craig' });
});

test('a server shows all comments: one that it shows no longer is gone', () => {
  const life = ['commented-1', 'comment-edited', 'comment-deleted'].map((name) =>
    payloadOf(`mattermost-server-issue-updated-${name}`),
  );
  const texts = (payloads: readonly unknown[]) => {
    const { comments } = entriesAfter(connector, payloads)['projects/jira/PRJX/issue-PRJX-14'] as {
      comments: { text: string }[];
    };
    return comments.map(({ text }) => text);
  };
  expect(texts(life.slice(0, 2))).toContain('and higher eeven higher');
  expect(texts(life)).not.toContain('and higher eeven higher');
  expect(texts(life.toReversed())).toEqual(texts(life));
});

test('an issue is linked with what it names, its parent and other issues', () => {
  const fields = {
    description: 'Since https://github.com/acme/shop/pull/12. See OPS-3 and PAY-7.',
    parent: { key: 'PAY-1' },
    fixVersions: [{ id: '10100', name: '2.0' }],
    issuelinks: [
      { type: { inward: 'is blocked by', outward: 'blocks' }, inwardIssue: { key: 'OPS-9' } },
      { type: { inward: 'is blocked by', outward: 'blocks' }, outwardIssue: { key: 'WEB-2' } },
    ],
  };
  const { links } = onlyWriteOf(connector, deliver('jira:issue_updated', 1, { issue: issue('PAY-7', fields) }));
  expect(links?.filter(({ to }) => !to.startsWith('people/'))).toEqual([
    { relation: 'child_of', to: 'projects/jira/PAY/issue-PAY-1' },
    { relation: 'is_blocked_by', to: 'projects/jira/OPS/issue-OPS-9' },
    { relation: 'blocks', to: 'projects/jira/WEB/issue-WEB-2' },
    { relation: 'fixed_in', to: 'projects/jira/project-10000/version-10100' },
    { relation: 'mentions', to: 'repos/acme/shop/pr-12' },
    { relation: 'mentions', to: 'projects/jira/OPS/issue-OPS-3' },
  ]);
});

test('a document is kept as its text', () => {
  const text = (value: string) => ({ type: 'paragraph', content: [{ type: 'text', text: value }] });
  const description = { type: 'doc', version: 1, content: [text('First.'), text('Second.')] };
  const { value } = onlyWriteOf(
    connector,
    deliver('jira:issue_updated', 1, { issue: issue('PAY-7', { description }) }),
  );
  expect(value.description).toBe('First.\nSecond.');
});

test('work, files, projects, boards and accounts are recorded where they belong', () => {
  const events: [string, object, string, string][] = [
    [
      'project_created',
      { project: { key: 'PAY', name: 'Payments' } },
      'projects/jira/PAY',
      'project created: Payments (Ann Lee)',
    ],
    ['board_updated', { board: { id: 3, name: 'Team' } }, 'projects/jira/board-3', 'board updated: Team (Ann Lee)'],
    ['user_created', { user: USER }, 'projects/jira', 'user created: Ann Lee'],
    [
      'worklog_created',
      { worklog: { timeSpent: '2h', comment: 'found it' } },
      'projects/jira',
      'worklog created: 2h: found it (Ann Lee)',
    ],
    [
      'attachment_created',
      { attachment: { filename: 'log.txt' } },
      'projects/jira',
      'attachment created: log.txt (Ann Lee)',
    ],
    ['comment_deleted', { comment: { id: '7', body: 'a secret' } }, 'projects/jira', 'comment deleted (Ann Lee)'],
  ];
  for (const [type, members, entity_path, summary] of events)
    expect(onlyContextOf(connector, deliver(type, 1, members))).toMatchObject({ label: type, entity_path, summary });
});

test('pages are those of the site, also where it is below a path', () => {
  const self = 'https://acme.example/jira/rest/api/2/issue/10040';
  const [write] = writesOf(connector, deliver('jira:issue_updated', 1, { issue: { ...issue('PAY-7'), self } }));
  expect(write?.artifact_refs).toEqual(['https://acme.example/jira/browse/PAY-7']);
  expect(SITE).not.toContain('/jira/');
});
