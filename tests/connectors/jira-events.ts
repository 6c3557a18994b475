import { JiraConnector } from '../../packages/server/src/connectors/jira/index.ts';

export const connector = new JiraConnector();
export const USER = { accountId: '5c5f88', displayName: 'Ann Lee' };
export const SITE = 'https://acme.atlassian.net/rest/api/2';

const START = Date.parse('2026-01-31T12:00:00.000Z');
export const minuteOf = (minute: number): string => new Date(START + minute * 60_000).toISOString();

/** An event of the cloud. */
export const deliver = (webhookEvent: string, minute: number, members: object) => ({
  timestamp: START + minute * 60_000,
  webhookEvent,
  user: USER,
  ...members,
});

export const issue = (key: string, fields: object = {}) => ({
  id: '10040',
  self: `${SITE}/issue/10040`,
  key,
  fields: {
    summary: 'Payments are slow',
    status: { name: 'To Do', statusCategory: { name: 'To Do' } },
    issuetype: { name: 'Bug' },
    project: { id: '10000', key: key.replace(/-\d+$/, ''), name: 'Payments' },
    priority: { name: 'High' },
    resolution: null,
    assignee: null,
    reporter: USER,
    labels: ['latency'],
    ...fields,
  },
});

/** A change of the status by a change of the number given. */
export const transition = (minute: number, from: string, to: string) =>
  deliver('jira:issue_updated', minute, {
    issue_event_type_name: 'issue_generic',
    issue: issue('PAY-7', { status: { name: to } }),
    changelog: { id: `1${minute}`, items: [{ field: 'status', fieldId: 'status', fromString: from, toString: to }] },
  });

export const comment = (webhookEvent: string, minute: number, body: unknown) =>
  deliver(webhookEvent, minute, {
    issue: { ...issue('PAY-7'), fields: { summary: 'Payments are slow' } },
    comment: { id: '77', author: USER, body, created: minuteOf(1), updated: minuteOf(minute) },
  });
