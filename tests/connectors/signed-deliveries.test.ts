import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedConnectors } from '../../packages/server/src/installed.ts';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { payloadsOf } from './deliveries.ts';
import { comment, deliver as fromJira, issue, transition } from './jira-events.ts';
import { deliver as fromPagerDuty, incident, REFERENCE } from './pagerduty-events.ts';

const SECRET = "It's a Secret to Everybody";
const sign = (body: string, secret = SECRET) => createHmac('sha256', secret).update(body).digest('hex');
const HEADERS: Record<string, (body: string) => Record<string, string>> = {
  pagerduty: (body) => ({ 'X-PagerDuty-Signature': `v1=${sign(body, 'the next secret')},v1=${sign(body)}` }),
  jira: (body) => ({ 'X-Hub-Signature': `sha256=${sign(body)}` }),
};

describe.each(backends)('deliveries of PagerDuty and Jira on %s', (backend) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'mem-connectors-'));
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    const connectorVariables = { MEM_CONNECTOR_PAGERDUTY_SECRET: SECRET, MEM_CONNECTOR_JIRA_SECRET: SECRET };
    const connectors = await installedConnectors({ dataDir, connectorVariables, maxValueBytes: 1024 * 1024 });
    app = await openTestApp(backend, { connectors });
    server = await listen(app);
  });
  afterAll(async () => {
    await server.close();
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function post(connector: string, body: string, headers = HEADERS[connector]?.(body)) {
    const response = await fetch(`${server.url}/api/v1/webhooks/${connector}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  }
  const postAll = async (connector: string, payloads: readonly unknown[]) => {
    for (const payload of payloads) expect((await post(connector, JSON.stringify(payload))).status).toBe(202);
  };
  const read = (entity_path: string, key: string) => app.call('entries.read', { entity_path, key });

  it.each(['pagerduty', 'jira'])(
    'every recorded delivery of %s is stored, and a repeated one is known',
    async (name) => {
      const sent = new Set<unknown>();
      for (const [file, payload] of payloadsOf(name)) {
        const { status, json } = await post(name, JSON.stringify(payload));
        expect({ file, status }).toEqual({ file, status: sent.has(json.id) ? 200 : 202 });
        sent.add(json.id);
        expect(await post(name, JSON.stringify(payload))).toMatchObject({ status: 200, json: { duplicate: true } });
      }
    },
  );

  it('a delivery with another signature is refused, and the signature that Atlassian documents is right', async () => {
    const documented = 'a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9';
    const status = async (signature: string) =>
      (await post('jira', 'Hello World!', { 'X-Hub-Signature': signature })).status;
    expect(await status(`sha256=${documented.replace('a', 'b')}`)).toBe(401);
    expect(await status(`sha256=${documented}`)).toBe(400);
    const body = JSON.stringify(fromPagerDuty('incident.triggered', 0, incident('triggered')));
    expect((await post('pagerduty', body, { 'X-PagerDuty-Signature': `v1=${sign(body, 'other')}` })).status).toBe(401);
  });

  it('an incident is one entry with its notes, and its people are found in the graph', async () => {
    await postAll('pagerduty', [
      fromPagerDuty('incident.annotated', 9, {
        incident: REFERENCE,
        id: 'N1',
        content: 'Resolution Note: rolled back',
      }),
      fromPagerDuty('incident.resolved', 10, incident('resolved')),
      fromPagerDuty('incident.acknowledged', 5, incident('acknowledged')),
      fromPagerDuty('incident.triggered', 0, incident('triggered')),
    ]);
    const entry = await read('incidents/pagerduty/checkout-api', 'incident-PGR0VU2');
    expect(entry.value).toMatchObject({
      status: 'resolved',
      acknowledged_by: 'Maeve Ito',
      resolution_notes: 'rolled back',
      notes: [{ id: 'N1' }],
    });
    expect(entry.provenance.agent_id).toBe('webhook/pagerduty');
    await expect(read('incidents/pagerduty', 'incident-PGR0VU2')).rejects.toThrow();
    const { edges } = await app.call('graph.neighbors', { entity: 'people/pagerduty/PVMGSML' });
    expect(edges.map(({ relation }) => relation)).toEqual(expect.arrayContaining(['acknowledged_by', 'resolved_by']));
  });

  it('an issue is one entry that moves to another project with its comments', async () => {
    const items = [{ field: 'Key', fromString: 'PAY-7', toString: 'OPS-3' }];
    await postAll('jira', [
      comment('comment_created', 1, 'on it'),
      transition(5, 'To Do', 'In Progress'),
      fromJira('jira:issue_updated', 9, { issue: issue('OPS-3'), changelog: { id: '900', items } }),
      fromJira('jira:issue_created', 0, { issue: issue('PAY-7') }),
    ]);
    expect((await read('projects/jira/OPS', 'issue-OPS-3')).value).toMatchObject({
      status: 'To Do',
      moved_from: 'PAY-7',
      transitions: [{ from: 'To Do', to: 'In Progress' }],
      comments: [{ text: 'on it' }],
    });
    await expect(read('projects/jira/PAY', 'issue-PAY-7')).rejects.toThrow();
  });
});
