import { createHash } from 'node:crypto';
import { Fault, JsonText, operations, stringify } from '@mem-service/contract';
import { answerNames } from './answer-names.ts';
import type { Caller } from './caller.ts';
import type { MaintenanceTask } from './maintenance/index.ts';
import { deleteOldAnswers, ERASED_ANSWER, findStoredAnswers, type StoredAnswer } from './queries.ts';
import type { WriteResult } from './result.ts';
import { heldName } from './session-name.ts';
import type { Work } from './work.ts';

const ANSWER_LIFETIME_MS = 24 * 60 * 60 * 1000;

export type IdempotentRequest = {
  idempotency_key: string | undefined;
  request_hash: string | undefined;
  caller: Caller;
};
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
    // An answer may show what the open session of a key held.
    const isOwn = stored.holder === null || stored.holder === heldName('', job.caller);
    const isSame = isOwn && job.request_hash === stored.request_hash;
    finish(job, isSame ? replayed(stored) : { error: mismatch(stored) });
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

/** Keeps the answer to a request with a key, for retries. */
export function storeAnswer(
  work: Work,
  { name, caller, idempotency_key, request_hash }: IdempotentRequest & { name: string },
  { output, holds }: Pick<WriteResult<unknown>, 'output' | 'holds'>,
): void {
  if (idempotency_key === undefined || request_hash === undefined) return;
  work.storeAnswer({
    idempotency_key,
    request_hash,
    holder: heldName('', caller),
    names: answerNames(output, holds),
    answer: stringify(withoutSecret(name, output)),
  });
}

/** A secret is shown once: the stored answer does not contain it. */
function withoutSecret(name: string, output: unknown): unknown {
  const once = (operations as Readonly<Record<string, { once?: string } | undefined>>)[name]?.once;
  return once === undefined ? output : { ...(output as object), [once]: null };
}

export const deleteExpiredAnswers: MaintenanceTask = {
  name: 'kernel.forget_answers',
  async run({ services: { database, clock } }) {
    await database.maintenanceTransaction((tx) => deleteOldAnswers(tx, clock.now() - ANSWER_LIFETIME_MS));
  },
};
