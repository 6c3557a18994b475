import { describe, expect, it } from 'vitest';
import { example, fixture, targets, transform, written } from './github-payloads.ts';

const REPOSITORY = 'repos/Codertocat/Hello-World';
const SHA = 'ec26c3e57ca3a959ca5aad62de7213c562f8c821';

describe('a pull request', () => {
  it('begins with what a reader asks first, and ends with its text', () => {
    const { key, value, artifact_refs } = written('pull_request', example('pull_request', 'opened'));
    expect(key).toBe('pr-2');
    expect(Object.keys(value).slice(0, 5)).toEqual(['state', 'title', 'author', 'updated_by', 'updated_at']);
    expect(Object.keys(value).at(-1)).toBe('body');
    expect(value).toMatchObject({
      state: 'open',
      author: 'Codertocat',
      base: 'master',
      head: 'changes',
      sha: SHA,
      diff: { additions: 1, deletions: 1, changed_files: 1, commits: 1 },
    });
    expect(artifact_refs).toEqual([
      'https://github.com/Codertocat/Hello-World/pull/2',
      'https://github.com/Codertocat/Hello-World/pull/2.patch',
    ]);
  });

  it('is open, a draft, closed or merged', () => {
    const payload = example('pull_request', 'opened');
    expect(written('pull_request', payload).value.state).toBe('open');
    payload.pull_request.draft = true;
    expect(written('pull_request', payload).value.state).toBe('draft');
    expect(written('pull_request', example('pull_request', 'closed')).value.state).toBe('closed');
    const merged = written('pull_request', fixture('pull_request__merged'));
    expect(merged.value).toMatchObject({ state: 'merged', merged_by: 'baxterthehacker' });
    expect(targets(merged, 'merged_by')).toEqual(['people/github/baxterthehacker']);
  });

  it('names its people', () => {
    const payload = example('pull_request', 'review_requested');
    payload.pull_request.assignees = [{ login: 'ada' }, { login: 'bob' }];
    payload.pull_request.requested_reviewers = [{ login: 'eve' }];
    const result = written('pull_request', payload);
    expect(targets(result, 'assigned_to')).toEqual(['people/github/ada', 'people/github/bob']);
    expect(targets(result, 'review_requested_from')).toEqual(['people/github/eve']);
    expect(result.value).toMatchObject({ assignees: ['ada', 'bob'], reviewers: expect.arrayContaining(['eve']) });
  });

  it('has an edge to its commit, and to what its title, text and branch name', () => {
    const payload = example('pull_request', 'opened');
    payload.pull_request.title = 'PAY-7: retry';
    payload.pull_request.body = 'Fixes #12. See https://github.com/acme/ledger/pull/3 and this one, #2.';
    payload.pull_request.head.ref = 'feature/OPS-9-retry';
    const result = written('pull_request', payload);
    expect(targets(result, 'has_commit')).toEqual([`${REPOSITORY}/commit-${SHA}`]);
    expect(targets(result, 'closes')).toEqual([`${REPOSITORY}/issue-12`]);
    expect(targets(result, 'mentions')).toEqual([
      'projects/jira/PAY/issue-PAY-7',
      'projects/jira/OPS/issue-OPS-9',
      'repos/acme/ledger/pr-3',
      `${REPOSITORY}/issue-2`,
    ]);
  });

  it('has its reviews, comments and threads as items', () => {
    const review = written('pull_request_review', example('pull_request_review', 'submitted'));
    expect(review.items).toMatchObject({ reviews: { 'review-237895671': { state: 'commented', who: 'Codertocat' } } });
    expect(targets(review, 'reviewed_by')).toEqual(['people/github/Codertocat']);
    const comment = written('pull_request_review_comment', example('pull_request_review_comment', 'created'));
    expect(comment.items?.comments).toMatchObject({ 'review-comment-284312630': { path: 'README.md' } });
    const thread = written('pull_request_review_thread', example('pull_request_review_thread', 'resolved'));
    expect(thread.items?.threads).toMatchObject({ 'comment-820867280': { state: 'resolved', who: 'octocat' } });
    expect(written('pull_request_review', example('pull_request_review', 'dismissed')).items?.reviews).toMatchObject({
      'review-237895671': { state: 'dismissed' },
    });
  });

  it('keeps its state when a comment does not say whether it was merged', () => {
    const payload = example('issue_comment', 'created');
    payload.issue.pull_request = { html_url: payload.issue.html_url };
    payload.issue.state = 'closed';
    const { key, value } = written('issue_comment', payload);
    expect(key).toBe('pr-1');
    expect(value).not.toHaveProperty('state');
    payload.issue.pull_request.merged_at = '2019-05-15T15:20:21Z';
    expect(written('issue_comment', payload).value.state).toBe('merged');
  });

  it('has a text of at most 4,000 characters', () => {
    const payload = example('pull_request', 'opened');
    payload.pull_request.body = 'long '.repeat(2000);
    const { body } = written('pull_request', payload).value;
    expect(body.length).toBeLessThanOrEqual(4000);
    expect(body.endsWith('…')).toBe(true);
  });
});

describe('an issue', () => {
  it('has its state, labels and people', () => {
    const result = written('issues', fixture('issues__labeled'));
    expect(result).toMatchObject({ key: 'issue-9', value: { state: 'open', labels: ['bug'], author: 'sbansal1999' } });
    expect(targets(written('issues', example('issues', 'assigned')), 'assigned_to')).not.toEqual([]);
  });

  it('is deleted with its event, and loses a comment that is deleted', () => {
    expect(written('issues', example('issues', 'deleted'))).toMatchObject({ key: 'issue-1', deleted: true });
    const { items, deleted } = written('issue_comment', example('issue_comment', 'deleted'));
    expect(Object.values(items?.comments ?? {})).toEqual([null]);
    expect(deleted).toBeUndefined();
  });

  it('that is moved has an edge to where it is now', () => {
    const payload = example('issues', 'transferred');
    const result = written('issues', payload);
    const { new_repository, new_issue } = payload.changes;
    expect(result.value.state).toBe('transferred');
    expect(targets(result, 'moved_to')).toEqual([`repos/${new_repository.full_name}/issue-${new_issue.number}`]);
  });
});

describe('a deployment', () => {
  it('has the state of its status, the commit, and who deployed it', () => {
    const result = written('deployment_status', fixture('deployment_status__failure'));
    expect(result).toMatchObject({
      key: 'deployment-3792291128',
      value: {
        state: 'failure',
        environment: 'production',
        ref: 'feature',
        sha: 'b57138e2cd6e7b256bb4ce78ef95ba728765d865',
      },
      items: { statuses: { 'status-10787473524': { state: 'failure' } } },
    });
    expect(targets(result, 'deployed_by')).toEqual(['people/github/Pritesh-30']);
    expect(targets(result, 'deploys')).toEqual([
      'repos/Pritesh-30/test-repo/commit-b57138e2cd6e7b256bb4ce78ef95ba728765d865',
      'repos/Pritesh-30/test-repo/branch-feature',
    ]);
  });

  it('that ended is an outcome of its commit', () => {
    const outcome = (name: string) => written('deployment_status', fixture(`deployment_status__${name}`)).outcome;
    expect(outcome('success')).toEqual({
      outcome_ref: '9049f1265b7d61be4a8904a9a27120d2064dab3b',
      outcome_type: 'success',
    });
    expect(outcome('failure')?.outcome_type).toBe('failure');
    expect(outcome('error')?.outcome_type).toBe('failure');
    expect(outcome('pending')).toBeUndefined();
    const preview = fixture('deployment_status__failure');
    preview.deployment.environment = 'preview';
    expect(written('deployment_status', preview).outcome?.outcome_type).toBe('minor_failure');
  });

  it('has edges to the pull requests that it deploys', () => {
    const payload = fixture('deployment_status__failure');
    payload.workflow_run.pull_requests = [{ number: 4 }];
    payload.deployment.ref = 'refs/pull/5/merge';
    expect(targets(written('deployment_status', payload), 'deploys').filter((to) => to.includes('/pr-'))).toEqual([
      'repos/Pritesh-30/test-repo/pr-4',
      'repos/Pritesh-30/test-repo/pr-5',
    ]);
  });
});

describe('a branch', () => {
  const push = () => example('push', undefined, 4);

  it('has its head, who pushed it, and the commits', () => {
    const payload = push();
    payload.ref = 'refs/heads/feature/login';
    payload.commits[0].message = 'Retry payments (#8)\n\nPAY-3';
    const result = written('push', payload);
    const commit = payload.commits[0];
    expect(result).toMatchObject({
      key: 'branch-feature/login',
      occurred_at: '2019-05-15T15:20:57.000Z',
      value: { state: 'active', sha: payload.after, author: payload.sender.login },
      items: { commits: { [`commit-${commit.id}`]: { text: 'Retry payments (#8)' } } },
      artifact_refs: [`${payload.repository.html_url}/tree/feature/login`],
    });
    expect(targets(result, 'has_commit')).toContain(`${result.entity_path}/commit-${commit.id}`);
    expect(targets(result, 'mentions')).toEqual([`${result.entity_path}/pr-8`, 'projects/jira/PAY/issue-PAY-3']);
  });

  it('or a tag is deleted by either event of its deletion', () => {
    expect(written('push', example('push', undefined, 1))).toMatchObject({ key: 'tag-simple-tag', deleted: true });
    expect(written('delete', example('delete'))).toMatchObject({ key: 'tag-simple-tag', deleted: true });
    expect(written('create', example('create')).deleted).toBeUndefined();
  });
});

describe('a release, a run and a commit', () => {
  it('are things of their own', () => {
    expect(written('release', example('release', 'published'))).toMatchObject({
      key: 'release-0.0.1',
      value: { state: 'published', tag: '0.0.1', author: 'Codertocat' },
    });
    expect(written('release', example('release', 'deleted')).deleted).toBe(true);
    expect(written('workflow_run', example('workflow_run'))).toMatchObject({
      key: 'workflow-run-1589141559',
      value: { name: 'Manually triggered workflow', branch: 'main', conclusion: null },
    });
    expect(written('check_run', example('check_run', 'completed'))).toMatchObject({
      key: expect.stringMatching(/^commit-[0-9a-f]{40}$/),
      items: { checks: { 'check-Octocoders-linter': { state: 'failure' } } },
    });
    expect(written('status', example('status')).items).toMatchObject({
      statuses: { 'check-default': { state: 'success' } },
    });
  });

  it('a job is an item of its run', () => {
    const { key, items } = written('workflow_job', example('workflow_job', 'completed'));
    expect(key).toMatch(/^workflow-run-\d+$/);
    expect(Object.values(items?.jobs ?? {})).toMatchObject([{ state: expect.any(String), name: expect.any(String) }]);
  });
});

describe('an alert', () => {
  it('never holds the secret that it is about', () => {
    const alert = {
      number: 3,
      state: 'open',
      secret_type: 'stripe_key',
      secret: 'sk_live_4242',
      created_at: '2024-01-01T00:00:00Z',
    };
    const results = transform('secret_scanning_alert', {
      action: 'created',
      alert,
      repository: { full_name: 'acme/shop' },
    });
    expect(results).toMatchObject([{ key: 'secret-scanning-alert-3', value: { title: 'exposed stripe_key' } }]);
    expect(JSON.stringify(results)).not.toContain('sk_live');
  });
});

describe('a happening', () => {
  it('is described in a sentence', () => {
    expect(transform('star', example('star', 'created'))).toEqual([
      {
        operation: 'record_context',
        label: 'star.created',
        summary: 'Codertocat starred it (Codertocat/Hello-World)',
        source: 'github',
        entity_path: REPOSITORY,
      },
    ]);
    expect(transform('fork', example('fork'))).toMatchObject([
      { summary: 'Octocoders forked it as Octocoders/Hello-World (Codertocat/Hello-World)' },
    ]);
  });
});
