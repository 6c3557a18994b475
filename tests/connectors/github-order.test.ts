import { describe, expect, it } from 'vitest';
import { fold, ordersOf } from './fold.ts';
import { type AnyPayload, example, transform } from './github-payloads.ts';

type Delivery = { type: string; payload: AnyPayload };

const NOON = '2019-05-15T12:00:00Z';
const later = (seconds: number) => new Date(Date.parse(NOON) + seconds * 1000).toISOString().replace('.000', '');

/** Real payloads of one pull request, at times of its life `gap` seconds apart. */
function lifeOfRequest(gap: number): Delivery[] {
  const opened = example('pull_request', 'opened');
  const labeled = example('pull_request', 'labeled');
  labeled.pull_request.labels = [{ name: 'bug' }];
  const review = example('pull_request_review', 'submitted');
  review.review.state = 'approved';
  review.review.submitted_at = later(2 * gap);
  review.pull_request.labels = [{ name: 'bug' }];
  const merged = example('pull_request', 'closed');
  const times = { merged: true, merged_at: later(3 * gap), closed_at: later(3 * gap), merged_by: { login: 'ada' } };
  Object.assign(merged.pull_request, times, { merge_commit_sha: 'a'.repeat(40), labels: [{ name: 'bug' }] });
  return [
    { type: 'pull_request', payload: opened },
    { type: 'pull_request', payload: labeled },
    { type: 'pull_request_review', payload: review },
    { type: 'pull_request', payload: merged },
  ].map((delivery, n) => {
    delivery.payload.pull_request.updated_at = later(n * gap);
    delivery.payload.pull_request.number = 2;
    return delivery;
  });
}

const endOf = (deliveries: readonly Delivery[]) =>
  fold(deliveries.flatMap(({ type, payload }) => transform(type, payload)));

function expectOneEnd(deliveries: readonly Delivery[]) {
  const end = endOf(deliveries);
  for (const order of ordersOf(deliveries)) expect(endOf(order)).toEqual(end);
  return end;
}

describe('the deliveries of a pull request', () => {
  it.each([60, 1, 0])('%i seconds apart end merged, labelled and reviewed in each of 24 orders', (gap) => {
    const deliveries = lifeOfRequest(gap);
    expect(ordersOf(deliveries)).toHaveLength(24);
    expect(expectOneEnd(deliveries)).toMatchObject({
      state: 'merged',
      merged_by: 'ada',
      labels: ['bug'],
      'reviews review-237895671': { state: 'approved' },
    });
  });

  it('count once when they are repeated', () => {
    const deliveries = lifeOfRequest(0);
    expect(endOf([...deliveries, ...deliveries])).toEqual(endOf(deliveries));
  });

  it('that close and reopen it in one second leave it open', () => {
    const [closed, reopened] = [example('pull_request', 'closed'), example('pull_request', 'reopened')];
    for (const { pull_request } of [closed, reopened]) pull_request.updated_at = NOON;
    const deliveries = [closed, reopened].map((payload) => ({ type: 'pull_request', payload }));
    expect(expectOneEnd(deliveries)).toMatchObject({ state: 'open', closed_at: null });
  });
});

describe('the deliveries of other things', () => {
  it('end with the last state of a deployment, also within a second', () => {
    const deliveries = ['queued', 'in_progress', 'success'].map((state, n) => {
      const payload = example('deployment_status');
      Object.assign(payload.deployment_status, { id: n, state, created_at: NOON, updated_at: NOON });
      return { type: 'deployment_status', payload };
    });
    const created = { type: 'deployment', payload: example('deployment') };
    created.payload.deployment.created_at = NOON;
    expect(expectOneEnd([...deliveries, created])).toMatchObject({
      state: 'success',
      'statuses status-0': { state: 'queued' },
      'statuses status-2': { state: 'success' },
    });
  });

  it('end with an issue closed, and without the comment that was deleted', () => {
    const issue = (action: string, changes: AnyPayload) => {
      const payload = example('issues', 'opened');
      Object.assign(payload.issue, { updated_at: NOON }, changes);
      return { type: 'issues', payload: { ...payload, action } };
    };
    const comment = (action: string) => {
      const payload = example('issue_comment', 'created');
      Object.assign(payload.issue, { updated_at: NOON });
      Object.assign(payload.comment, { created_at: NOON, updated_at: NOON });
      return { type: 'issue_comment', payload: { ...payload, action } };
    };
    const end = expectOneEnd([
      issue('opened', {}),
      comment('created'),
      comment('deleted'),
      issue('closed', { state: 'closed', closed_at: NOON }),
    ]);
    expect(end).toMatchObject({ state: 'closed' });
    expect(Object.keys(end ?? {}).filter((name) => name.startsWith('comments'))).toEqual([]);
  });

  it('end without the branch that was deleted, and with one that was pushed again', () => {
    const push = (seconds: number, changes: AnyPayload) => {
      const payload = example('push', undefined, 4);
      payload.repository.pushed_at = Date.parse(later(seconds)) / 1000;
      return { type: 'push', payload: Object.assign(payload, changes) };
    };
    const life = [
      push(0, {}),
      push(1, {}),
      push(1, { deleted: true, after: '0'.repeat(40), commits: [], head_commit: null }),
    ];
    expect(expectOneEnd(life)).toBeUndefined();
    expect(expectOneEnd([...life, push(2, { after: 'b'.repeat(40) })])).toMatchObject({ sha: 'b'.repeat(40) });
  });

  it('end with the conclusion of a run and of its jobs', () => {
    const run = (status: string, conclusion: string | null) => {
      const payload = example('workflow_run');
      Object.assign(payload.workflow_run, { status, conclusion, updated_at: NOON });
      return { type: 'workflow_run', payload };
    };
    const job = (status: string, conclusion: string | null) => {
      const payload = example('workflow_job');
      Object.assign(payload.workflow_job, {
        run_id: 1589141559,
        status,
        conclusion,
        started_at: NOON,
        completed_at: null,
      });
      return { type: 'workflow_job', payload };
    };
    const life = [
      run('queued', null),
      job('in_progress', null),
      job('completed', 'success'),
      run('completed', 'success'),
    ];
    const end = expectOneEnd(life);
    expect(end).toMatchObject({ state: 'success', conclusion: 'success', name: 'Manually triggered workflow' });
    expect(end?.['jobs job-2832853555']).toMatchObject({ state: 'success' });
  });
});
