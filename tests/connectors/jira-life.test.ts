import { expect, test } from 'vitest';
import { entriesAfter, ordersOf } from './deliveries.ts';
import { comment, connector, deliver, issue, minuteOf, transition } from './jira-events.ts';

const PLACE = 'projects/jira/PAY/issue-PAY-7';
const created = deliver('jira:issue_created', 0, { issue_event_type_name: 'issue_created', issue: issue('PAY-7') });

test('the life of an issue ends in the same state in all orders of its deliveries', () => {
  const life = [
    created,
    transition(5, 'To Do', 'In Progress'),
    comment('comment_created', 6, 'on it'),
    transition(9, 'In Progress', 'Done'),
  ];
  for (const order of ordersOf(life))
    expect(entriesAfter(connector, order)).toEqual({
      [PLACE]: {
        key: 'PAY-7',
        updated_at: '2024-01-31T12:09:00.000Z',
        updated_by: 'Ann Lee',
        status: 'Done',
        summary: 'Payments are slow',
        type: 'Bug',
        priority: 'High',
        resolution: null,
        assignee: null,
        reporter: 'Ann Lee',
        labels: ['latency'],
        status_category: 'To Do',
        project: 'Payments',
        url: 'https://acme.atlassian.net/browse/PAY-7',
        transitions: [
          { id: '15', at: minuteOf(5), from: 'To Do', to: 'In Progress', by: 'Ann Lee' },
          { id: '19', at: minuteOf(9), from: 'In Progress', to: 'Done', by: 'Ann Lee' },
        ],
        comments: [{ id: '77', at: minuteOf(1), by: 'Ann Lee', text: 'on it', edited_at: minuteOf(6) }],
      },
    });
});

test('an edited comment is edited, and a deleted one deleted, in all orders', () => {
  const edited = [created, comment('comment_created', 1, 'first'), comment('comment_updated', 2, 'second')];
  for (const order of ordersOf(edited))
    expect(entriesAfter(connector, order)[PLACE]?.comments).toEqual([
      { id: '77', at: minuteOf(1), by: 'Ann Lee', text: 'second', edited_at: minuteOf(2) },
    ]);
  for (const order of ordersOf([...edited, comment('comment_deleted', 3, 'second')]))
    expect(entriesAfter(connector, order)[PLACE]).not.toHaveProperty('comments');
});

test('a deleted issue is gone, and no older event brings it back', () => {
  const life = [
    created,
    transition(5, 'To Do', 'In Progress'),
    comment('comment_created', 6, 'on it'),
    deliver('jira:issue_deleted', 7, { issue: issue('PAY-7') }),
  ];
  for (const order of ordersOf(life)) expect(entriesAfter(connector, order)).toEqual({});
});

test('an issue that is moved to another project has one entry there, with its comments and transitions', () => {
  const items = [
    { field: 'project', fromString: 'Payments', toString: 'Operations' },
    { field: 'Key', fromString: 'PAY-7', toString: 'OPS-3' },
  ];
  const life = [
    created,
    transition(5, 'To Do', 'In Progress'),
    comment('comment_created', 6, 'on it'),
    deliver('jira:issue_updated', 9, {
      issue_event_type_name: 'issue_moved',
      issue: issue('OPS-3'),
      changelog: { id: '900', items },
    }),
  ];
  for (const order of ordersOf(life))
    expect(entriesAfter(connector, order)).toEqual({
      'projects/jira/OPS/issue-OPS-3': expect.objectContaining({
        key: 'OPS-3',
        moved_from: 'PAY-7',
        transitions: [expect.objectContaining({ to: 'In Progress' })],
        comments: [expect.objectContaining({ text: 'on it' })],
      }),
    });
});

test('an issue that was moved, and whose number is not known, leaves its entry', () => {
  const { id: _, ...moved } = issue('OPS-3');
  const changelog = { items: [{ field: 'Key', fromString: 'PAY-7', toString: 'OPS-3' }] };
  const { id: _id, ...before } = issue('PAY-7');
  const life = [
    deliver('jira:issue_created', 0, { issue: before }),
    deliver('jira:issue_updated', 9, { issue: moved, changelog }),
  ];
  for (const order of ordersOf(life))
    expect(Object.keys(entriesAfter(connector, order))).toEqual(['projects/jira/OPS/issue-OPS-3']);
});

test('issues of two sites with the same number stay apart', () => {
  const self = 'https://other.atlassian.net/rest/api/2/issue/10040';
  const other = deliver('jira:issue_created', 1, { issue: { ...issue('WEB-1'), self } });
  expect(Object.keys(entriesAfter(connector, [created, other]))).toEqual([PLACE, 'projects/jira/WEB/issue-WEB-1']);
});

const sprint = (type: string, minute: number, members: object) =>
  deliver(type, minute, {
    sprint: {
      id: 196,
      self: 'https://acme.atlassian.net/rest/agile/1.0/sprint/196',
      name: 'Sprint 45',
      originBoardId: 9,
      ...members,
    },
  });

test('a sprint is one entry of its board from its start to its end, in all orders', () => {
  const dates = { startDate: '2024-01-31T12:02:00.000Z', endDate: '2024-02-14T12:00:00.000Z' };
  const life = [
    sprint('sprint_created', 0, { state: 'future' }),
    sprint('sprint_updated', 1, { state: 'future', goal: 'Finish PAY-7' }),
    sprint('sprint_started', 2, { state: 'active', goal: 'Finish PAY-7', ...dates }),
    sprint('sprint_closed', 9, { state: 'closed', goal: 'Finish PAY-7', ...dates, completeDate: minuteOf(9) }),
  ];
  for (const order of ordersOf(life))
    expect(entriesAfter(connector, order)).toEqual({
      'projects/jira/board-9/sprint-196': {
        state: 'closed',
        name: 'Sprint 45',
        last_event: 'sprint closed',
        starts_at: '2024-01-31T12:02:00.000Z',
        ends_at: '2024-02-14T12:00:00.000Z',
        completed_at: minuteOf(9),
        board_id: '9',
        url: 'https://acme.atlassian.net/secure/RapidBoard.jspa?rapidView=9',
        goal: 'Finish PAY-7',
      },
    });
  expect(entriesAfter(connector, [...life, sprint('sprint_deleted', 10, {})])).toEqual({});
});

const version = (type: string, minute: number, members: object) =>
  deliver(`jira:version_${type}`, minute, {
    version: {
      self: 'https://acme.atlassian.net/rest/api/2/version/10100',
      id: '10100',
      description: 'Faster payments',
      name: '2.0',
      archived: false,
      released: false,
      projectId: 10000,
      ...members,
    },
  });

test('a version is one entry of its project until and after its release, in all orders', () => {
  const life = [
    version('created', 0, {}),
    version('updated', 1, { name: '2.0.0' }),
    version('unreleased', 2, { name: '2.0.0' }),
    version('released', 9, { name: '2.0.0', released: true, userReleaseDate: '31/Jan/26' }),
  ];
  for (const order of ordersOf(life))
    expect(entriesAfter(connector, order)).toEqual({
      'projects/jira/project-10000/version-10100': {
        state: 'released',
        name: '2.0.0',
        released: true,
        last_event: 'version released',
        release_date: '31/Jan/26',
        project_id: '10000',
        url: 'https://acme.atlassian.net/browse/fixforversion/10100',
        description: 'Faster payments',
      },
    });
});
