// The calls of the dashboard's demo data, each at the time that its records name, and a pull request to review.
import { DEMO_PATH } from '../../packages/dashboard/src/demo/entries.ts';
import { demoSteps } from '../../packages/dashboard/src/demo/steps.ts';

const RUN = 'shown';
const SECOND_MS = 1_000;
const PAUSE_MS = 170 * SECOND_MS;
const AT = `${DEMO_PATH}/checkout/payments`;

/** Returns where to find what the pictures show. */
export async function fillStore({ client, clock }) {
  const call = (name, input, by) => client.call(name, input, typeof by === 'string' ? { agentId: by } : by);
  for (const [first, last] of sessionsOf(demoSteps(RUN, 0))) await work({ clock, call }, first, last);
  const pull = await openPull({ clock, call });
  clock.moveTo(clock.now() + PAUSE_MS);
  const { traces } = await client.call('traces.list', { limit: 100 });
  const traceOf = (ref) => traces.find(({ outcome_ref }) => outcome_ref === ref).trace_id;
  return { pull, traceOf };
}

/** Steps that follow each other in one session, by the numbers of the first and the last. */
function sessionsOf(steps) {
  const spans = [];
  for (const [i, { call }] of steps.entries()) {
    const open = spans.at(-1);
    const isSame = open && call.sessionId !== undefined && steps[open[0]].call.sessionId === call.sessionId;
    // What somebody else writes meanwhile is within the session.
    const isMeanwhile =
      open && call.sessionId === undefined && steps[i + 1]?.call.sessionId === steps[open[0]].call.sessionId;
    if (isSame || (isMeanwhile && steps[open[0]].call.sessionId !== undefined)) open[1] = i;
    else spans.push([i, i]);
  }
  return spans;
}

const endOf = ({ started_at, latency_ms = 0, duration_ms = 0 }) => Date.parse(started_at) + latency_ms + duration_ms;

/** One session: its records say that it took minutes and ends at the time that the steps are made for. */
async function work({ clock, call }, first, last) {
  const began = clock.now() + (first === last ? SECOND_MS : PAUSE_MS);
  const records = demoSteps(RUN, 0)
    .slice(first, last + 1)
    .filter(({ input }) => input.started_at !== undefined);
  const end = records.length === 0 ? began : began + 5 * SECOND_MS - Date.parse(records[0].input.started_at);
  clock.moveTo(began);
  for (const { name, input, call: of } of demoSteps(RUN, end).slice(first, last + 1)) {
    // What is recorded of a step is recorded just before the next one begins.
    const isRecord = name.startsWith('sessions.record_');
    clock.moveTo(input.started_at === undefined ? clock.now() + (isRecord ? 10 : 500) : endOf(input) - 50);
    if (name === 'outcomes.commit') clock.moveTo(clock.now() + 3 * SECOND_MS);
    await call(name, input, of);
  }
}

/** A change that somebody proposes on a branch, with a question about it. */
async function openPull({ clock, call }) {
  const branch = 'fewer-retries';
  const planner = 'demo-planner';
  const later = () => clock.moveTo(clock.now() + 20 * SECOND_MS);
  await call('branches.create', { name: branch, description: 'Three attempts with longer pauses.' }, planner);
  const policy = { max_attempts: 3, backoff_ms: [400, 1600], retry_on: ['timeout', 'gateway_5xx'] };
  const write = async (key, value, confidence) => {
    later();
    const input = { entity_path: AT, key, value, confidence, memory_type: 'belief', branch };
    await call('entries.write', input, planner);
  };
  await write('retry-policy', { ...policy, because: 'the fourth and fifth attempt never succeeded' }, 0.7);
  await write('retry-budget', { per_minute: 120, shared_by: ['checkout', 'billing'] }, 0.65);
  later();
  const { id } = await call(
    'pull_requests.create',
    {
      title: 'Fewer retries with longer pauses',
      source_branch: branch,
      description: 'Two roll-outs failed with five attempts: the queue grew faster than it drained.',
    },
    planner,
  );
  await call(
    'branches.protect',
    { name: 'main', required_approvals: 1, required_checks: ['conflicts', 'memory_ci'] },
    'demo-sre-oncall',
  );
  later();
  const comment = 'Why not keep 200 ms as the first pause?';
  const review = { id, decision: 'commented', comment, entity_path: AT, key: 'retry-policy' };
  await call('pull_requests.review', review, 'demo-sre-oncall');
  return id;
}
