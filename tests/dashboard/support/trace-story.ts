import type { FakeClock, TestApp } from '../../support/app.ts';

const SECOND_MS = 1000;

/** Begins an hour ago, so that the story ends before now, by the clock of the browser too. */
export function storyClock(): FakeClock & { catchUp(): void } {
  let time: number | undefined = Date.now() - 60 * 60 * SECOND_MS;
  return {
    now: () => time ?? Date.now(),
    advance(ms) {
      if (time !== undefined) time += ms;
    },
    /** From here on it is the real time. */
    catchUp() {
      time = undefined;
    },
  };
}

/** What the story leaves behind, by name. */
export type TraceStory = { incident: string; success: string; drill: string };

type Call = TestApp['call'];

/**
 * Two roll-outs by one agent, the second of which goes wrong after a stale read, a drill by another, and a branch: enough
 * for everything that a trace and a timeline show.
 */
export async function writeTraceStory({ call, clock }: Pick<TestApp, 'call' | 'clock'>): Promise<TraceStory> {
  await writeMemory(call);
  clock.advance(60 * SECOND_MS);
  const success = await rollOut({ call, clock }, 'deploy-2229', 'success');
  clock.advance(20 * 60 * SECOND_MS);
  const incident = await rollOut({ call, clock }, 'deploy-2231', 'regression');
  clock.advance(5 * 60 * SECOND_MS);
  const drill = await runDrill({ call, clock });
  await workOnBranch({ call, clock });
  return { incident, success, drill };
}

async function writeMemory(call: Call): Promise<void> {
  const write = (agent_id: string, [entity_path, key]: readonly [string, string], value: unknown) =>
    call('entries.write', { entity_path, key, value: value as never, confidence: 0.8, agent_id });
  await write('planner', ['checkout/payments', 'retry-policy'], { max_attempts: 3, backoff_ms: [200, 800] });
  await write('sre-oncall', ['infra/eu-west', 'pool-size'], { max: 40, min: 10, queue: 'wait' });
  await write('sre-oncall', ['docs/runbooks', 'failover-eu'], 'Promote eu-central, then move the names.');
}

async function rollOut(
  { call, clock }: Pick<TestApp, 'call' | 'clock'>,
  ref: string,
  outcome: 'success' | 'regression',
) {
  const me = { agent_id: 'deploy-bot', session_id: `session-${ref}` };
  const now = () => new Date(clock.now()).toISOString();
  const did = async (tool_name: string, seconds: number, more: { success?: boolean; says: string }) => {
    const started_at = now();
    clock.advance(seconds * SECOND_MS);
    const result = { result_summary: more.says, success: more.success ?? true };
    const action = { tool_name, arguments: { cluster: 'eu-west' }, started_at, duration_ms: seconds * SECOND_MS };
    await call('sessions.record_action', { ...action, ...result, ...me });
  };
  const thought = async (seconds: number, tokens: number) => {
    const started_at = now();
    clock.advance(seconds * SECOND_MS);
    const usage = { input_tokens: tokens, output_tokens: Math.round(tokens / 8), cost_usd: tokens / 160_000 };
    const made = { model: 'claude-sonnet-4', provider: 'anthropic', latency_ms: seconds * SECOND_MS };
    await call('sessions.record_llm_call', { ...made, ...usage, started_at, ...me });
  };
  const read = async (entity_path: string, key: string) => {
    await call('entries.read', { entity_path, key }, me);
    clock.advance(400);
  };
  await call('sessions.record_context', {
    label: 'ticket',
    summary: 'Customers see timeouts',
    source: 'OPS-4711',
    ...me,
  });
  await call('entries.search', { query: 'retry policy', limit: 5 }, me);
  clock.advance(500);
  await read('checkout/payments', 'retry-policy');
  await read('infra/eu-west', 'pool-size');
  await thought(31, 9_804);
  await did('kubectl apply', 22, { says: '12 of 12 pods ready' });
  if (outcome === 'regression') {
    await thought(24, 7_120);
    clock.advance(26 * SECOND_MS);
    const message = 'gateway eu-west did not answer in 26 s';
    await call('sessions.record_error', { operation: 'smoke-test', error_type: 'TimeoutError', message, ...me });
    const summary = 'the gateway timed out';
    await call('sessions.record_attempt', { summary, outcome_type: 'failure', ...me });
    clock.advance(SECOND_MS);
    await read('docs/runbooks', 'failover-eu');
    await thought(38, 14_377);
    await did('kubectl rollout restart', 34, { says: '12 of 12 pods ready' });
  }
  await did('smoke-test', 18, {
    says: outcome === 'success' ? '214 checks passed' : '9 failed',
    success: outcome === 'success',
  });
  await spans(call, me, now());
  if (outcome === 'regression')
    await call('entries.write', {
      ...{ entity_path: 'infra/eu-west', key: 'pool-size', value: { max: 120, min: 10, queue: 'fail-fast' } },
      agent_id: 'sre-oncall',
    });
  const answer = outcome === 'success' ? 'Rolled out to all hosts.' : 'Error rate doubled; rolled back.';
  const task_input = outcome === 'success' ? 'Roll out retry policy v6' : 'Roll out retry policy v7 to eu-west';
  const report = { outcome_ref: ref, outcome_type: outcome, task_input, response_text: answer } as const;
  const { trace_id } = await call('outcomes.commit', { ...report, ...me });
  return trace_id as string;
}

/** One with a time and a child, one without. */
async function spans(call: Call, me: { agent_id: string; session_id: string }, started_at: string): Promise<void> {
  const outer = { span_id: `${me.session_id}-check`, name: 'check health', kind: 'agent', started_at } as const;
  await call('sessions.record_span', { ...outer, duration_ms: 4000, output: { healthy: false }, ...me });
  const inner = { parent_span_id: outer.span_id, name: 'ping gateway', kind: 'tool', status: 'error' } as const;
  await call('sessions.record_span', { ...inner, error: 'no answer', started_at, duration_ms: 1200, ...me });
}

async function runDrill({ call, clock }: Pick<TestApp, 'call' | 'clock'>): Promise<string> {
  const me = { agent_id: 'sre-oncall', session_id: 'session-drill-118' };
  await call('entries.read', { entity_path: 'docs/runbooks', key: 'failover-eu' }, me);
  clock.advance(64 * SECOND_MS);
  const report = {
    outcome_ref: 'drill-118',
    outcome_type: 'clean_deploy',
    task_input: 'Failover drill of eu-west',
  } as const;
  const { trace_id } = await call('outcomes.commit', { ...report, response_text: 'Four minutes.', ...me });
  return trace_id as string;
}

async function workOnBranch({ call, clock }: Pick<TestApp, 'call' | 'clock'>): Promise<void> {
  const by = { agent_id: 'planner' };
  await call('branches.create', { name: 'longer-retries', ...by });
  clock.advance(40 * SECOND_MS);
  const place = { entity_path: 'checkout/payments', key: 'retry-policy', branch: 'longer-retries' };
  for (const max_attempts of [4, 5]) {
    await call('entries.write', { ...place, value: { max_attempts, backoff_ms: [200, 800, 3200] }, ...by });
    clock.advance(90 * SECOND_MS);
  }
  await call('branches.merge', { name: 'longer-retries', strategy: 'THREE_WAY', ...by });
}
