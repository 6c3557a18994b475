import { readFileSync } from 'node:fs';
import { entityPathProblem, keyProblem, shapes } from '@mem-service/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { outcomeTypes } from '../../packages/contract/src/trace-shapes.ts';
import { GitHubConnector } from '../../packages/server/src/connectors/github/index.ts';
import { checkResults } from '../../packages/server/src/connectors/results.ts';
import type { ConnectorResult, EntryResult } from '../../packages/server/src/connectors/types.ts';
import { type AnyPayload, example, examples, fixture, transform } from './github-payloads.ts';

const manifest = parse(
  readFileSync(new URL('../../packages/server/src/connectors/github/connector.yaml', import.meta.url), 'utf8'),
);
const events = examples.map(({ name, examples: payloads }) => ({ name, payloads }));

/** Events that leave no thing behind. */
const HAPPENINGS = new Set(
  (
    'deploy_key fork github_app_authorization installation installation_repositories label marketplace_purchase member membership ' +
    'merge_group meta org_block organization ping project project_card project_column projects_v2_item public ' +
    'repository_dispatch repository_import sponsorship star team_add watch workflow_dispatch'
  ).split(' '),
);

function expectLegal(result: ConnectorResult) {
  expect(entityPathProblem(result.entity_path ?? '')).toBeUndefined();
  if (result.operation === 'record_context') {
    expect(result).toMatchObject({ source: 'github', label: expect.any(String), summary: expect.stringMatching(/\S/) });
    expect(result.summary).not.toContain('undefined');
    return;
  }
  expect(keyProblem(result.key)).toBeUndefined();
  if (result.occurred_at !== undefined) expect(shapes.utc.safeParse(result.occurred_at).success).toBe(true);
  for (const { relation, to } of result.links ?? []) {
    expect(relation).toMatch(/^[a-z_]+$/);
    expect(entityPathProblem(to)).toBeUndefined();
  }
  for (const page of result.artifact_refs ?? []) expect(page).toMatch(/^https?:\/\//);
  for (const items of Object.values(result.items ?? {}))
    for (const item of Object.values(items)) expect(item === null || typeof item.at === 'string').toBe(true);
  if (result.outcome) expect(outcomeTypes).toContain(result.outcome.outcome_type);
  expect(JSON.stringify(result)).not.toContain('undefined');
}

describe('the published payloads of GitHub', () => {
  it('are all there', () => {
    expect(events.flatMap(({ payloads }) => payloads).length).toBe(329);
  });

  it.each(events)('of $name give a thing or a happening at a legal place', ({ name, payloads }) => {
    for (const payload of payloads) {
      const results = transform(name, payload);
      expect(results.length).toBeGreaterThan(0);
      for (const result of results) {
        expectLegal(result);
        const kind = HAPPENINGS.has(name) ? { operation: 'record_context' } : { operation: 'write', merge: true };
        expect(result).toMatchObject(kind);
      }
    }
  });

  it.each(events)('of $name belong to the path of their repository', ({ name, payloads }) => {
    for (const payload of payloads) {
      if (!payload.repository || name === 'team') continue;
      const path = `repos/${payload.repository.full_name}`;
      for (const result of transform(name, payload)) expect(result.entity_path).toBe(path);
    }
  });

  it.each(events)('of $name have a title, a state or a part that a reader can use', ({ name, payloads }) => {
    for (const result of payloads.flatMap((payload) => transform(name, payload))) {
      if (result.operation !== 'write') continue;
      const { value, items, deleted } = result as EntryResult & { value: AnyPayload };
      expect(value.title ?? value.state ?? items ?? deleted).toBeTruthy();
      expect(JSON.stringify(value).length).toBeLessThan(8000);
    }
  });

  it('of organisations belong to the path of the organisation', () => {
    expect(transform('organization', example('organization'))[0]).toMatchObject({ entity_path: 'repos/Octocoders' });
    expect(transform('team', example('team'))[0]).toMatchObject({
      entity_path: 'repos/Octocoders',
      key: 'team-github',
    });
    expect(transform('security_advisory', example('security_advisory'))[0]).toMatchObject({ entity_path: 'repos' });
  });
});

/** A payload with one of its members, at any depth, replaced. */
function spoil(payload: AnyPayload, steps: readonly number[], nonsense: unknown): AnyPayload {
  const spoiled = structuredClone(payload);
  let at = spoiled;
  for (const step of steps) {
    const names = Object.keys(at);
    const name = names[step % names.length] ?? '';
    if (
      step === steps.at(-1) ||
      typeof at[name] !== 'object' ||
      at[name] === null ||
      Object.keys(at[name]).length === 0
    ) {
      at[name] = nonsense;
      return spoiled;
    }
    at = at[name];
  }
  return spoiled;
}

describe('a published payload with a member that is not as it should be', () => {
  it('gives something at a legal place all the same', () => {
    const nonsense = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom('..', '\0', '\ud800', '/', -1, 'x'.repeat(5000)),
    );
    const payloads = events.flatMap(({ name, payloads }) => payloads.map((payload) => ({ name, payload })));
    const steps = fc.array(fc.nat(200), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...payloads), steps, nonsense, ({ name, payload }, path, value) => {
        const results = transform(name, spoil(payload, path, value));
        expect(results.length).toBeGreaterThan(0);
        for (const { entity_path } of results) expect(entityPathProblem(entity_path ?? '')).toBeUndefined();
        expect(checkResults(results, { max_value_bytes: 1_000_000 })).toHaveProperty('results');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('captured deliveries', () => {
  const NAMES = ['pull_request__merged', 'issues__labeled'].concat(
    ['error', 'failure', 'pending', 'success'].map((state) => `deployment_status__${state}`),
  );

  it.each(NAMES)('%s gives one thing', (name) => {
    const results = transform(name.split('__')[0] ?? '', fixture(name));
    expect(results).toMatchObject([{ operation: 'write', merge: true, value: { state: expect.any(String) } }]);
    for (const result of results) expectLegal(result);
  });
});

describe('the manifest', () => {
  it('names every type of event that GitHub publishes', () => {
    expect(manifest.event_types).toEqual(expect.arrayContaining(examples.map(({ name }) => name)));
    expect(new Set(manifest.event_types).size).toBe(manifest.event_types.length);
  });

  it.each((manifest.event_types as string[]).filter((type) => type !== '*'))(
    'names %s, which is not kept raw',
    (type) => {
      const payload = examples.find(({ name }) => name === type)?.examples[0];
      const own = {
        repository_advisory: { repository_advisory: { ghsa_id: 'GHSA-1' } },
        registry_package: { registry_package: { name: 'p' } },
      };
      const other = { action: 'created', alert: { number: 1 }, ...own[type as keyof typeof own] };
      const [result] = transform(type, payload ?? { ...other, repository: { full_name: 'acme/shop' } });
      expect(result?.operation === 'write' ? result.merge : true).toBe(true);
    },
  );
});

describe('a delivery', () => {
  it('has its type and id in the headers', () => {
    const headers = { 'x-github-event': 'push', 'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' };
    expect(new GitHubConnector().identify({}, headers)).toEqual({
      event_type: 'push',
      id: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    });
    expect(new GitHubConnector().identify({}, {})).toEqual({});
    const closed = new GitHubConnector().identify({ action: 'closed' }, { 'x-github-event': 'pull_request' });
    expect(closed).toEqual({ event_type: 'pull_request.closed' });
    const odd = new GitHubConnector().identify({ action: 'a b' }, { 'x-github-event': 'pull_request' });
    expect(odd).toEqual({ event_type: 'pull_request' });
  });

  it('is read by its type, with or without the action', () => {
    const payload = example('pull_request', 'closed');
    expect(transform('pull_request.closed', payload)).toEqual(transform('pull_request', payload));
  });

  it('of a type that is not known is kept as it came, below its repository or organisation', () => {
    const raw = (payload: unknown) => transform('novelty.created', payload);
    expect(raw({ repository: { full_name: 'acme/shop' } })).toMatchObject([
      { entity_path: 'repos/acme/shop', key: 'raw-novelty.created-delivery-1' },
    ]);
    expect(raw({ organization: { login: 'acme' } })).toMatchObject([{ entity_path: 'repos/acme' }]);
  });

  it('without what its type should have is kept as it came', () => {
    const payload = { action: 'opened', repository: { full_name: 'acme/shop' }, pull_request: {} };
    expect(transform('pull_request', payload)).toEqual([
      {
        operation: 'write',
        entity_path: 'repos/acme/shop',
        key: 'raw-pull_request-delivery-1',
        value: { event_type: 'pull_request', id: 'delivery-1', payload },
        raw: true,
      },
    ]);
  });
});
