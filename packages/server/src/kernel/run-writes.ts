import { Fault } from '@mem-service/contract';
import { StorageError } from '../db/index.ts';
import { type JobResult, storeAnswer } from './idempotency.ts';
import { groupForSetHandlers, isExclusive, type OneHandler, type QueuedWrite, type SetHandler } from './lanes.ts';
import { writeCharge } from './metering.ts';
import type { WriteResult } from './result.ts';
import type { Work } from './work.ts';

type HandlerResult = WriteResult<unknown> | { error: unknown };

/** Runs writes that their handler takes together, or one. */
const runWrites = (work: Work, run: QueuedWrite[]): Promise<HandlerResult[]> =>
  run[0]?.handler.kind === 'set' ? runSet(work, run) : runSingly(work, run[0] as QueuedWrite);

async function runSet(work: Work, run: QueuedWrite[]): Promise<HandlerResult[]> {
  const handler = run[0]?.handler as SetHandler;
  const results = await handler.run(work, run as never);
  if (results.length !== run.length) throw new Error(`${run[0]?.name} gave ${results.length} results`);
  return results.map((result) => (result instanceof Fault ? { error: result } : result));
}

async function runSingly(work: Work, job: QueuedWrite): Promise<HandlerResult[]> {
  const handler = job.handler as OneHandler;
  await work.locked;
  await work.waitForSent();
  if (isExclusive(job)) return [await runExclusively(work, job)];
  const mark = work.mark();
  try {
    const result = await work.tx.savepoint(async () => {
      const ran = await handler.run(work, job as never);
      await work.waitForSent();
      return ran;
    });
    return [result];
  } catch (error) {
    if (error instanceof StorageError) throw error;
    work.reset(mark);
    return [{ error }];
  }
}

/**
 * Its transaction has no other writes, so an error ends all of it. A savepoint would keep a copy of every page that a large
 * one changes.
 */
async function runExclusively(work: Work, job: QueuedWrite): Promise<HandlerResult> {
  const ran = await (job.handler as OneHandler).run(work, job as never);
  await work.waitForSent();
  return ran;
}

/** Charges and audits a write that succeeded, and keeps its answer for retries. */
function recordWrite(work: Work, job: QueuedWrite, { output, change, holds }: WriteResult<unknown>): void {
  const ops = writeCharge(job);
  if (ops > 0) work.charge({ class: 'write', ops, requests: 1 });
  if (change && !job.handler.unaudited) {
    const { resource, before: before_hash, after: after_hash } = change;
    work.audit(job.caller, job.name, { resource, before_hash, after_hash });
  }
  storeAnswer(work, job, { output, holds });
}

/** Runs all writes of an account. Returns whether one failed that would have been charged. */
export async function runAll(
  work: Work,
  jobs: readonly QueuedWrite[],
  finished: Map<QueuedWrite, JobResult>,
): Promise<boolean> {
  let hasFailed = false;
  for (const run of groupForSetHandlers(jobs)) {
    const results = await runWrites(work, run);
    results.forEach((result, i) => {
      const job = run[i] as QueuedWrite;
      finished.set(job, result);
      if ('output' in result) recordWrite(work, job, result);
      else hasFailed ||= writeCharge(job) > 0;
    });
  }
  return hasFailed;
}
