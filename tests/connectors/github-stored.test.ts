import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { connectorThat, hostOf } from '../support/connectors.ts';
import { ordersOf } from './fold.ts';
import { type AnyPayload, example, examples, fixture, transform } from './github-payloads.ts';

const manifest = parse(
  readFileSync(new URL('../../packages/server/src/connectors/github/connector.yaml', import.meta.url), 'utf8'),
);
const github = connectorThat(
  async (events) => events.map(({ event_type, payload }) => ({ results: transform(event_type, payload) })),
  { manifest: { env_vars: [], dependencies: [], ...manifest } },
);

/** The life of a pull request in a repository of its own. */
function lifeOf(repository: string): { event_type: string; payload: AnyPayload }[] {
  const opened = example('pull_request', 'opened');
  const labeled = example('pull_request', 'labeled');
  const review = example('pull_request_review', 'submitted');
  const merged = example('pull_request', 'closed');
  Object.assign(merged.pull_request, { merged: true, merged_at: '2019-05-15T15:21:00Z', merged_by: { login: 'ada' } });
  labeled.pull_request.labels = [{ name: 'bug' }];
  merged.pull_request.labels = [{ name: 'bug' }];
  review.pull_request.labels = [{ name: 'bug' }];
  return [opened, labeled, review, merged].map((payload, n) => {
    payload.repository.full_name = repository;
    Object.assign(payload.pull_request, { number: 2, updated_at: `2019-05-15T15:20:${40 + n}Z` });
    return { event_type: payload === review ? 'pull_request_review' : 'pull_request', payload };
  });
}

describe.each(backends)('the connector of GitHub, on %s', (backend) => {
  let app: TestApp;
  let sent = 0;
  beforeAll(async () => {
    app = await openTestApp(backend, { connectors: hostOf(github) });
  });
  afterAll(() => app.close());

  const receive = (event_type: string, payload: AnyPayload) =>
    app.call('webhooks.receive', { connector: 'github', id: `delivery-${sent++}`, event_type, payload });
  const edgesOf = async (entity: string) =>
    (await app.call('graph.neighbors', { entity })).edges.map(({ relation, target }) => `${relation} ${target}`);

  it('stores every published payload, none as a failure', async () => {
    for (const { name, examples: payloads } of examples)
      for (const payload of payloads) {
        const { reason, results } = await receive(name, payload);
        expect({ name, reason }).toEqual({ name, reason: null });
        expect(results.length).toBeGreaterThan(0);
      }
  });

  it('ends with the same pull request in each order', async () => {
    const orders = ordersOf([0, 1, 2, 3]);
    for (const [n, order] of orders.entries()) {
      const life = lifeOf(`orders/r${n}`);
      for (const at of order) await receive(life[at]?.event_type ?? '', life[at]?.payload);
    }
    const values = await Promise.all(
      orders.map((_, n) => app.call('entries.read', { entity_path: `repos/orders/r${n}`, key: 'pr-2' })),
    );
    for (const { value } of values) expect(value).toEqual(values[0]?.value);
    expect(values[0]).toMatchObject({
      value: { state: 'merged', merged_by: 'ada', labels: ['bug'], reviews: [{ state: 'commented' }] },
      provenance: { agent_id: 'webhook/github' },
    });
  });

  it('keeps hashes of commits, and connects a deployment with its commit and its people', async () => {
    const payload = fixture('deployment_status__failure');
    await receive('deployment_status', payload);
    const place = { entity_path: 'repos/Pritesh-30/test-repo', key: 'deployment-3792291128' };
    expect(await app.call('entries.read', place)).toMatchObject({
      value: { state: 'failure', sha: payload.deployment.sha },
    });
    expect(await edgesOf(`${place.entity_path}/${place.key}`)).toEqual(
      expect.arrayContaining([
        'deployed_by people/github/Pritesh-30',
        `deploys ${place.entity_path}/commit-${payload.deployment.sha}`,
      ]),
    );
  });

  it('keeps an event of another type as it came, at the path of its repository', async () => {
    const payload = { action: 'created', repository: { full_name: 'acme/shop' } };
    expect((await receive('novelty', payload)).results).toMatchObject([
      { status: 'raw', entity_path: 'repos/acme/shop', key: expect.stringMatching(/^raw-novelty/) },
    ]);
  });
});
