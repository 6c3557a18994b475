// Times a backfill of code judges over all traces of a store, and reading the same traces and doing nothing, in turns. The
// options are JSON in the first argument. Memory is measured at the end of each, after a collection.
import { setTimeout as sleep } from 'node:timers/promises';
import { loadJudged } from '../../packages/pro/src/evaluation/load-traces.ts';
import { modules } from '../../packages/pro/src/index.ts';
import { listTracesBetween } from '../../packages/server/src/module.ts';
import { residentMemory } from '../processes.mjs';
import { caller, open } from './open.mjs';

const { rounds, judges, ...place } = JSON.parse(process.argv[2]);
const TRACES_AT_ONCE = 500;
const AT_REST_MS = 3000;

const awake = setInterval(() => {}, 1000);
const app = await open({ ...place, modules });
const { database } = app.kernel.services;
const { account_id } = caller;
const call = (name, input) => app.kernel.invoke(name, input, caller);
/** Its own: mapped pages of the store are the system's, which takes them back when it needs them. */
const megabytes = () => {
  globalThis.gc?.();
  return residentMemory(process.pid).own;
};

await untilAtRest();
for (const { judge_id, definition } of judges)
  await call('judges.create', { judge_id, definition: definitionIn(definition, 0), status: 'draft' });
const measured = [];
for (let round = 1; round <= rounds; round++) {
  const read = await timed(readAll);
  measured.push({ read, judged: await timed(() => judgeAll(round)) });
}
process.stdout.write(JSON.stringify(measured));
clearInterval(awake);
await app.close();

async function timed(work) {
  const started = performance.now();
  const traces = await work();
  const seconds = (performance.now() - started) / 1000;
  return { traces, traces_per_s: traces / seconds, megabytes: megabytes() };
}

/** Whole traces, in pages as a backfill reads them. */
async function readAll() {
  const { scan: query } = database.forAccount(account_id);
  const source = { query, dialect: database.dialect, account_id };
  let traces = 0;
  for (let from = 1; ; ) {
    const before = Number.MAX_SAFE_INTEGER;
    const page = await listTracesBetween(query, { account_id, agent_id: null, from, before, limit: TRACES_AT_ONCE });
    const seqs = page.map(({ seq }) => seq);
    for await (const _ of loadJudged(source, seqs)) traces++;
    if (page.length < TRACES_AT_ONCE) return traces;
    from = seqs.at(-1) + 1;
  }
}

/** By new versions of the judges, which have judged nothing. */
async function judgeAll(round) {
  for (const { judge_id, definition } of judges)
    await call('judges.update', { judge_id, definition: definitionIn(definition, round), status: 'active' });
  const { backfill_id } = await call('backfills.create', {});
  for (;;) {
    const { status, traces, verdicts } = await call('backfills.read', { backfill_id });
    if (status === 'done') {
      if (verdicts < traces * judges.length) throw new Error(`${verdicts} verdicts on ${traces} traces`);
      return traces;
    }
    await sleep(50);
  }
}

/** What holds of every trace beside what is judged, so that this is another version. */
function definitionIn(checks, round) {
  return { kind: 'code', checks: [...checks, { check: 'most', of: 'attempts', limit: 1000 + round }] };
}

/** Waits until nothing that follows the log moves any more. The store was filled beside the service, so some never reach its end. */
async function untilAtRest() {
  let before;
  for (;;) {
    const { consumers } = await call('consumers.list', {});
    const now = JSON.stringify(consumers.map(({ seq }) => seq));
    if (now === before) return;
    before = now;
    await sleep(AT_REST_MS);
  }
}
