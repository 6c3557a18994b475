import { entityPathProblem, keyProblem, shapes } from '@mem-service/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkResults } from '../results.ts';
import { GitHubConnector } from './index.ts';

const connector = new GitHubConnector();
const TYPES = (
  'pull_request pull_request_review pull_request_review_comment pull_request_review_thread issues issue_comment discussion ' +
  'discussion_comment deployment deployment_status push create delete release workflow_run deployment_review workflow_job check_run ' +
  'check_suite status commit_comment code_scanning_alert dependabot_alert secret_scanning_alert repository_vulnerability_alert ' +
  'security_advisory repository_advisory milestone repository package registry_package branch_protection_rule team page_build gollum ' +
  'fork installation installation_repositories organization ping star'
).split(' ');

/** Members that the connector reads, with values of any kind: nearly real payloads go deepest. */
const MEMBERS = (
  'action pull_request issue discussion deployment deployment_status release workflow_run workflow_job check_run check_suite comment ' +
  'review thread comments commits head_commit repository sender organization alert rule team build pages package package_version number ' +
  'id state title body user login full_name name owner labels assignees requested_reviewers created_at updated_at submitted_at head base ' +
  'sha ref ref_type deleted pushed_at head_sha conclusion status run_id started_at commit commit_id message timestamp author after ' +
  'tag_name merged merged_at draft html_url app slug context creator changes environment milestone'
).split(' ');

const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e300,
    '',
    'open',
    'closed',
    '..',
    'a/b',
    'x*',
    '2019-05-15T15:20:33Z',
    'constructor',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('acme/shop', 'refs/heads/x', 'https://github.com/a/b', '\ud800', '\u0000', '🙂'.repeat(300)),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('tree'), { maxLength: 3 }), tie('node')),
  node: fc.dictionary(fc.constantFrom(...MEMBERS), tie('tree'), { maxKeys: 20 }),
}));
const node = fc.dictionary(fc.constantFrom(...MEMBERS), tree, { minKeys: 5, maxKeys: 40 });

function expectSound(event_type: string, payload: unknown) {
  const event = { event_type, payload, headers: {}, id: 'd', received_at: '2026-01-01T00:00:00.000Z' };
  const results = connector.transform(event);
  expect(results.length).toBeGreaterThan(0);
  expect(checkResults(structuredClone(results), { max_value_bytes: 1_000_000 })).toEqual({ results });
  for (const result of results) {
    expect(entityPathProblem((result.entity_path ?? '').normalize('NFC'))).toBeUndefined();
    if (result.operation === 'record_context') continue;
    expect(keyProblem(result.key)).toBeUndefined();
    expect(Number.isInteger(result.rank ?? 0)).toBe(true);
    if (result.occurred_at !== undefined) expect(shapes.utc.safeParse(result.occurred_at).success).toBe(true);
    for (const { to } of result.links ?? []) expect(entityPathProblem(to)).toBeUndefined();
  }
}

describe('a type that is not known', () => {
  it('is kept as it came, whatever its name', () => {
    for (const event_type of ['novelty', 'constructor', '__proto__', ''])
      expect(connector.transform({ event_type, payload: {}, headers: {}, id: 'd', received_at: '' })).toMatchObject([
        { key: expect.stringMatching(/^raw-/), entity_path: 'repos' },
      ]);
  });
});

describe('a payload of any shape', () => {
  it('is transformed without a fault, to legal places', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), fc.oneof(node, tree, fc.jsonValue()), (type, payload) =>
        expectSound(type, payload),
      ),
      { numRuns: 2000 },
    );
  });

  it('may be no object at all', () => {
    for (const type of TYPES) for (const payload of [null, 1, 'text', [], [[]], true]) expectSound(type, payload);
  });
});

describe('a payload of a megabyte', () => {
  const sizeOf = (event_type: string, payload: unknown) =>
    JSON.stringify(
      connector.transform({ event_type, payload, headers: {}, id: 'd', received_at: '2026-01-01T00:00:00.000Z' }),
    ).length;
  const repository = { full_name: 'acme/shop', pushed_at: 1_557_933_657 };

  it('gives a small result', () => {
    const commits = Array.from({ length: 2048 }, (_, n) => ({
      id: n.toString(16).padStart(40, 'a'),
      message: `#${n} PAY-${n + 1} ${'x'.repeat(400)}`,
      timestamp: '2019-05-15T15:20:33Z',
      author: { username: `user-${n}` },
    }));
    expect(sizeOf('push', { ref: 'refs/heads/main', commits, repository })).toBeLessThan(150_000);
    const issue = { number: 1, title: 'x'.repeat(500_000), body: '#1 a/b#2 PAY-3 '.repeat(35_000) };
    expect(sizeOf('issues', { action: 'opened', issue, repository })).toBeLessThan(10_000);
    const labels = Array.from({ length: 20_000 }, (_, n) => ({ name: `label-${n} ${'y'.repeat(30)}` }));
    expect(sizeOf('issues', { action: 'labeled', issue: { number: 1, labels }, repository })).toBeLessThan(10_000);
  });
});
