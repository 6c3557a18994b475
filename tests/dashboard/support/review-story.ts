import type { TestApp } from '../../support/app.ts';

/** Text that a careless page would run. */
export const XSS = '<img src=x onerror="document.title=`hacked`">';

const AT = 'checkout/payments';
const POLICY = { max_attempts: 5, backoff_ms: [200, 800, 3200], retry_on: ['timeout', 'gateway_5xx'] };

export type ReviewStory = { pull: string; conflicting: string };

/** Branches, tags and pull requests of a small team: one change to review, and one that conflicts with main. */
export async function fillReview(app: TestApp): Promise<ReviewStory> {
  const write = (key: string, value: unknown, { branch = 'main', agent = 'deploy-bot', confidence = 0.8 } = {}) =>
    app.call('entries.write', { entity_path: AT, key, value: value as never, branch, confidence }, { agent_id: agent });
  const as = (agent_id: string) => ({ agent_id });
  await write('retry-policy', POLICY, { confidence: 0.8 });
  await write('gateway-timeout', 'adyen eu-west times out under load; 3 s are not enough', { agent: 'sre-oncall' });
  await write('settlement-window', { hours: 24, timezone: 'UTC' }, { agent: 'migrator' });
  await write('sandbox-cards', ['4111 1111 1111 1111'], { agent: 'test-runner', confidence: 0.5 });
  await app.call(
    'tags.create',
    { name: 'before-the-drill', description: 'the last state before drill 104' },
    as('planner'),
  );
  await app.call(
    'branches.create',
    { name: 'experiment/fewer-retries', description: 'Three attempts suffice when the pauses are longer.' },
    as('planner'),
  );
  const branch = 'experiment/fewer-retries';
  await write(
    'retry-policy',
    { ...POLICY, max_attempts: 3, backoff_ms: [400, 1600] },
    { branch, agent: 'planner', confidence: 0.62 },
  );
  await write('retry-budget', { per_minute: 120 }, { branch, agent: 'planner', confidence: 0.7 });
  await app.call('entries.delete', { entity_path: AT, key: 'sandbox-cards', branch }, as('planner'));
  const { id: pull } = await app.call(
    'pull_requests.create',
    {
      title: 'Fewer retries with longer pauses',
      source_branch: branch,
      description: 'Drill 104 showed that the fourth and fifth attempt never succeed.',
    },
    as('planner'),
  );
  await app.call(
    'pull_requests.review',
    {
      id: pull,
      decision: 'commented',
      comment: 'Why not keep 200 ms as the first pause?',
      entity_path: AT,
      key: 'retry-policy',
    },
    as('sre-oncall'),
  );
  const other = 'fix/settlement';
  await app.call('branches.create', { name: other, description: XSS }, as('migrator'));
  await write(
    'settlement-window',
    { hours: 48, timezone: 'UTC' },
    { branch: other, agent: 'migrator', confidence: 0.9 },
  );
  await write('gateway-timeout', XSS, { branch: other, agent: 'migrator' });
  await write('settlement-window', { hours: 36, timezone: 'UTC' }, { agent: 'data-quality', confidence: 0.75 });
  await write('gateway-timeout', 'adyen eu-west times out under load; 5 s are enough', {
    agent: 'sre-oncall',
    confidence: 0.85,
  });
  const { id: conflicting } = await app.call(
    'pull_requests.create',
    { title: `Two days for settlement ${XSS}`, source_branch: other },
    as('migrator'),
  );
  await app.call('branches.create', { name: 'old/idea' }, as('planner'));
  await app.call('branches.close', { name: 'old/idea' }, as('planner'));
  await app.call('branches.protect', {
    name: 'main',
    required_approvals: 1,
    required_checks: ['conflicts', 'memory_ci'],
  });
  return { pull, conflicting };
}

/** Deliveries of the connector of the tests; those with an odd number at the end of their id fail. */
export async function fillConnectors(app: TestApp): Promise<void> {
  for (const no of [2, 4, 1, 3]) {
    const payload = { entity_path: 'checkout/builds', key: `nightly-${no}`, value: { state: 'failed', number: no } };
    await app.call('webhooks.receive', {
      connector: 'example',
      id: `delivery-${no}`,
      event_type: 'build.failed',
      payload,
    });
  }
}

/** What an agent is briefed about: what held up, what failed, what was tried. */
export async function fillBriefing(app: TestApp): Promise<void> {
  const write = (key: string, value: unknown, memory_type: 'fact' | 'belief' | 'procedure' = 'belief') =>
    app.call('entries.write', { entity_path: AT, key, value: value as never, memory_type }, { agent_id: 'sre-oncall' });
  await write('failover-order', ['adyen', 'stripe'], 'procedure');
  await write('timeout', '3 s', 'belief');
  await write('pool-size', { max: 120 }, 'belief');
  const commit = async (no: number, outcome_type: 'success' | 'failure', key: string) => {
    const agent_id = `deploy-bot`;
    await app.call('entries.read', { entity_path: AT, key }, { agent_id, session_id: `s-${no}` });
    await app.call(
      'outcomes.commit',
      { outcome_ref: `deploy-${no}`, outcome_type },
      { agent_id, session_id: `s-${no}` },
    );
  };
  for (const no of [1, 2, 3, 4]) await commit(no, 'success', 'pool-size');
  for (const no of [5, 6, 7, 8, 9]) await commit(no, 'failure', 'timeout');
}
