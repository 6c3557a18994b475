import { createHash } from 'node:crypto';
import { Fault, JsonText, stringify } from '@mem-service/contract';
import type { Caller } from './caller.ts';
import type { MaintenanceTask } from './maintenance/index.ts';
import { deleteOldAnswers, ERASED_ANSWER, findStoredAnswers, type StoredAnswer } from './queries.ts';
import type { Work } from './work.ts';

const ANSWER_LIFETIME_MS = 24 * 60 * 60 * 1000;

export type IdempotentRequest = { idempotency_key: string | undefined; request_hash: string | undefined };
export type JobResult = { output: unknown } | { error: unknown };

export function hashRequest(name: string, input: unknown, caller: Caller): string {
  const { key } = caller;
  // An answer to a key with more rights must not be replayed to a key with fewer.
  const scope = key?.read || key?.write ? JSON.stringify([key.read, key.write]) : '';
  return createHash('sha256')
    .update(`${name}\n${caller.agent_id}\n${caller.session_id ?? ''}\n${stringify(input)}${scope}`)
    .digest('hex');
}

/** Resolves the requests that have a stored answer, and returns the others. */
export async function replayStoredAnswers<J extends IdempotentRequest>(
  work: Work,
  jobs: J[],
  finish: (job: J, result: JobResult) => void,
): Promise<J[]> {
  const keyed = jobs.filter((job) => job.idempotency_key !== undefined);
  if (keyed.length === 0) return jobs;
  const keys = keyed.map((job) => [work.account_id, job.idempotency_key as string]);
  const [, known] = await Promise.all([work.locked, work.tx.findMany<StoredAnswer>(findStoredAnswers, keys)]);
  const answered = new Set<J>();
  known.forEach((stored, i) => {
    const job = keyed[i] as J;
    if (!stored || stored.created_at + ANSWER_LIFETIME_MS < work.now) return;
    answered.add(job);
    finish(job, job.request_hash === stored.request_hash ? replayed(stored) : { error: mismatch(stored) });
  });
  return jobs.filter((job) => !answered.has(job));
}

/** The request was done, so it is not done again, also where its answer was erased since. */
function replayed({ idempotency_key, answer }: StoredAnswer): JobResult {
  if (answer !== ERASED_ANSWER) return { output: new JsonText(answer) };
  const message =
    `the request with Idempotency-Key ${JSON.stringify(idempotency_key)} was done and is not done again; ` +
    'its answer named something that was erased since';
  return { error: new Fault('answer_erased', message, { idempotency_key }) };
}

const mismatch = ({ idempotency_key }: StoredAnswer) =>
  new Fault('idempotency_mismatch', `Idempotency-Key ${JSON.stringify(idempotency_key)} was used for another request`, {
    idempotency_key,
  });

export const deleteExpiredAnswers: MaintenanceTask = {
  name: 'kernel.forget_answers',
  async run({ services: { database, clock } }) {
    await database.maintenanceTransaction((tx) => deleteOldAnswers(tx, clock.now() - ANSWER_LIFETIME_MS));
  },
};
