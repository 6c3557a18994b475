import { setTimeout as sleep } from 'node:timers/promises';
import { compare, median, summarize, WARM_UP_SECONDS } from '../compare.mjs';
import { newOutcomes } from '../corpus.mjs';
import { ask, newRun } from '../harness.mjs';
import { pinned } from '../machine.mjs';
import { run } from '../processes.mjs';
import { commitOutcomes } from '../requests.mjs';

const CONNECTIONS = 16;
const CONSUMER = 'verdicts.judge_sealed';
/** What follows writes, and what follows outcomes: both have to be at rest before a round begins. */
const AFTER_WRITES = /^(?:recall|cortex|briefing|series)\./;
const AFTER_OUTCOMES = /^(?:cortex|briefing|series|golden|behaviors)\.|^verdicts\.judge_sealed$/;
const FOLLOWED_MS = 120_000;
const FOLLOWED_LOOK_MS = 200;
const PACED_PER_S = 100;
const PACED_SECONDS = 20;
/** Each look takes the server a few milliseconds: more of them would be a part of what is measured. */
const LOOK_MS = 250;
const BACKFILL_ROUNDS = 3;
const BACKFILL_MS = 3600_000;

/** Five judges of the usual kinds. */
const judges = [
  ['succeeds', { check: 'outcome', in: ['success', 'clean_deploy'] }],
  ['no-failed-tools', { check: 'most', of: 'failed_tool_calls', limit: 0 }],
  ['no-deletes', { check: 'tool_forbidden', tool: 'delete*' }],
  ['no-keys', { check: 'pattern', in: 'response_text', pattern: 'sk-[a-z0-9]{20,}', not: true }],
  ['no-old-rules', { check: 'memory_not_read', entity_path: 'retired/**' }],
].map(([judge_id, check]) => ({ judge_id, definition: [check] }));

const post = (service, path, body) => ask(service, { method: 'POST', path, body: JSON.stringify(body) });

/** Outcomes with judges on, against the same without; and how long judging takes at a steady pace. */
export async function* measureJudging(harness) {
  const { medium, repeats } = harness.options;
  const store = await harness.sqlite(medium);
  const sides = {
    floor: await harness.service(harness.copyOf(store, 'judging-off')),
    ours: await harness.service(harness.copyOf(store, 'judging-on')),
  };
  for (const { judge_id, definition } of judges)
    await post(sides.ours, '/api/v1/eval/judges', { judge_id, definition: { kind: 'code', checks: definition } });
  const measure = async (side, seconds) => {
    const plan = { requests: commitOutcomes(medium), connections: CONNECTIONS, count: medium, seconds };
    const { requests_per_s: value, non2xx } = await harness.load(sides[side], plan);
    await untilFollowed(sides[side], AFTER_OUTCOMES);
    return { value, non2xx };
  };
  for (const side of ['floor', 'ours']) {
    await untilFollowed(sides[side], AFTER_WRITES);
    await measure(side, WARM_UP_SECONDS);
  }
  const seconds = harness.options.seconds;
  const result = await compare(
    repeats,
    () => measure('floor', seconds),
    () => measure('ours', seconds),
  );
  const size = `${medium.toLocaleString('en-US')} entries, ${CONNECTIONS} connections, SQLite`;
  yield {
    figure: `POST outcome with five code judges, against none, ${size}`,
    unit: 'req/s',
    target: { least: 0.9 },
    ...result,
    note: 'a round begins when all that the last one wrote is followed',
  };
  yield {
    figure: `judged after the outcome, at ${PACED_PER_S} outcomes/s for ${PACED_SECONDS} s, at most`,
    unit: 's',
    ours: await longestWait(sides.ours, medium),
    limit: 5,
  };
}

async function stateOf(service) {
  const { last_seq, consumers } = JSON.parse(await ask(service, { path: '/api/v1/admin/consumers' }));
  return { last_seq, judged: consumers.find(({ consumer }) => consumer === CONSUMER)?.seq ?? last_seq };
}

async function untilFollowed(service, followers) {
  for (const until = performance.now() + FOLLOWED_MS; performance.now() < until; await sleep(FOLLOWED_LOOK_MS)) {
    const { last_seq, consumers } = JSON.parse(await ask(service, { path: '/api/v1/admin/consumers' }));
    if (consumers.every(({ consumer, seq }) => seq >= last_seq || !followers.test(consumer))) return;
  }
  throw new Error('the service does not catch up with its log');
}

/** The longest time, in seconds, that an event of the log has waited for the judges. */
async function longestWait(service, entries) {
  const bodies = newOutcomes(newRun(), entries, PACED_PER_S * PACED_SECONDS);
  const reached = [];
  let longest = 0;
  const started = performance.now();
  const look = async () => {
    const { last_seq, judged } = await stateOf(service);
    const now = performance.now();
    reached.push({ last_seq, now });
    const oldest = reached.find((one) => one.last_seq > judged);
    if (oldest) longest = Math.max(longest, now - oldest.now);
    return judged >= last_seq;
  };
  const sends = bodies.map(async (body, i) => {
    await sleep((i * 1000) / PACED_PER_S - (performance.now() - started));
    await ask(service, { method: 'POST', path: '/api/v1/outcomes', body: body.replaceAll('{n}', String(i)) });
  });
  let isSent = false;
  const allSent = Promise.all(sends).then(() => {
    isSent = true;
  });
  while (!((await look()) && isSent)) await sleep(LOOK_MS);
  await allSent;
  return longest / 1000;
}

/** A backfill, against reading the same traces and doing nothing. */
export async function* measureBackfill(harness) {
  const store = await harness.traces(Math.min(harness.options.manyTraces, 100_000));
  const { size, ...place } = harness.copyOf(store, 'judging-backfill');
  const order = JSON.stringify({ ...place, judges, rounds: BACKFILL_ROUNDS });
  const [command, args] = pinned('several', process.execPath, ['--expose-gc', harness.programs.backfill, order]);
  const { stdout } = await run(command, args, { timeoutMs: BACKFILL_MS, showErrors: true });
  const rounds = JSON.parse(stdout);
  const pairs = rounds.map(({ read, judged }) => ({
    floor: { value: read.traces_per_s },
    ours: { value: judged.traces_per_s },
  }));
  const memory = rounds.map(({ judged }) => judged.megabytes);
  yield {
    figure: `backfill of five code judges over ${store.size.toLocaleString('en-US')} traces, against reading them`,
    unit: 'traces/s',
    target: { least: 0.5 },
    ...summarize(pairs),
    note: `memory of its own after each round: ${memory.map((one) => one.toFixed(0)).join(', ')} MB; after reading: ${median(rounds.map(({ read }) => read.megabytes)).toFixed(0)} MB`,
  };
}
