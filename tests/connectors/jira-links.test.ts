import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedConnectors } from '../../packages/server/src/installed.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { deliver, issue, SITE } from './jira-events.ts';

const sprint = (id: number, members: object = { originBoardId: 9 }) => ({
  sprint: { id, self: `https://acme.atlassian.net/rest/agile/1.0/sprint/${id}`, name: `Sprint ${id}`, ...members },
});
const version = (id: string, members: object = { projectId: 10000 }) => ({
  version: { id, self: `${SITE}/version/${id}`, name: `v${id}`, released: true, ...members },
});
const PROJECT = { project: { id: 10000, key: 'PAY', name: 'Payments' } };
const inSprint = (id: number, boardId: number | null = 9) =>
  issue('PAY-7', { customfield_10020: [{ id, name: `Sprint ${id}`, state: 'active', boardId, goal: '' }] });
const fixedIn = (id: string) => issue('PAY-7', { fixVersions: [{ id, name: `v${id}` }] });

describe.each(backends)('links from an issue of Jira on %s', (backend) => {
  let app: TestApp;
  let sent = 0;
  beforeAll(async () => {
    const connectorVariables = { MEM_CONNECTOR_JIRA_SECRET: 'not asked for here' };
    const config = { dataDir: 'none', connectorVariables, maxValueBytes: 1024 * 1024 };
    app = await openTestApp(backend, { connectors: await installedConnectors(config) });
  });
  afterAll(() => app.close());

  const receive = (type: string, members: object) => {
    const payload = deliver(type, ++sent, members);
    return app.call('webhooks.receive', { connector: 'jira', id: `d-${sent}`, event_type: type, payload });
  };

  /** The entries that the issue leads to by a relation, by what is stored at them. */
  async function reached(relation: string) {
    const { edges } = (await app.call('graph.neighbors', {
      entity: 'projects/jira/PAY/issue-PAY-7',
      type: 'entry',
      limit: 1000,
    } as never)) as never as { edges: { relation: string; target: string }[] };
    const names = edges.filter((edge) => edge.relation === relation).map(({ target }) => target);
    return Promise.all(
      names.map(async (name) => {
        const [, entity_path = '', key = ''] = /^(.+)\/([^/]+)$/.exec(name) ?? [];
        const { value } = await app.call('entries.read', { entity_path, key });
        return (value as { name: string }).name;
      }),
    );
  }

  it.each([
    ['its board', sprint(1), inSprint(1)],
    ['its board and its project', { ...sprint(2), ...PROJECT }, inSprint(2)],
    ['its project alone', { ...sprint(3, {}), ...PROJECT }, inSprint(3, null)],
  ])('lead to a sprint whose events name %s', async (...[, event, named]) => {
    await receive('sprint_started', event);
    await receive('jira:issue_updated', { issue: named });
    expect(await reached('in_sprint')).toContain((event as ReturnType<typeof sprint>).sprint.name);
  });

  it.each([
    ['the number of its project', version('11')],
    ['the number and the key of its project', { ...version('12'), ...PROJECT }],
    ['both in the version', version('13', { projectId: 10000, projectKey: 'PAY' })],
  ])('lead to a version whose events name %s', async (...[, event]) => {
    const { id, name } = (event as ReturnType<typeof version>).version;
    await receive('jira:issue_updated', { issue: fixedIn(id) });
    await receive('jira:version_released', event);
    expect(await reached('fixed_in')).toContain(name);
  });

  it('lead to a sprint that was first known by its project and then by its board', async () => {
    await receive('sprint_created', { ...sprint(4, {}), ...PROJECT });
    await receive('jira:issue_updated', { issue: inSprint(4) });
    await receive('sprint_started', sprint(4));
    await receive('sprint_updated', { ...sprint(4, {}), ...PROJECT });
    expect(await reached('in_sprint')).toContain('Sprint 4');
    const { entries } = await app.call('entries.list', { entity_path: 'projects/jira/**', limit: 1000 } as never);
    expect(entries.filter(({ key }) => key === 'sprint-4').map(({ entity_path }) => entity_path)).toEqual([
      'projects/jira/board-9',
    ]);
  });
});
