import { createHash } from 'node:crypto';
import { Fault, JsonText, operations, stringify } from '@mem-service/contract';
import { answerNames } from './answer-names.ts';
import type { Caller } from './caller.ts';
import type { MaintenanceTask } from './maintenance/index.ts';
import type { Services } from './module.ts';
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

/**
 * The name of an answer: a key of the holder's own. What another holder uses is neither in its way nor shown to it. No key of
 * a caller has a control character.
 */
const answerName = ({ idempotency_key = '', caller }: Pick<IdempotentRequest, 'idempotency_key' | 'caller'>): string =>
  heldName(idempotency_key, caller);

/** Distinguishes requests that must not run at the same time; undefined where nothing has to be kept. */
export const idempotentName = (request: IdempotentRequest): string | undefined =>
  request.idempotency_key === undefined ? undefined : `${request.caller.account_id} ${answerName(request)}`;

/** Whether the caller has used its key before, for whatever request. Locks nothing. */
export async function hasStoredAnswer({ database }: Pick<Services, 'database'>, caller: Caller): Promise<boolean> {
  const { account_id, idempotency_key } = caller;
  const [found] = await database
    .forAccount(account_id)
    .read.findMany<StoredAnswer>(findStoredAnswers, [[account_id, answerName({ idempotency_key, caller })]]);
  return found !== undefined;
}

/** Resolves the requests that have a stored answer, and returns the others. */
export async function replayStoredAnswers<J extends IdempotentRequest>(
  work: Work,
  jobs: readonly J[],
  finish: (job: J, result: JobResult) => void,
): Promise<readonly J[]> {
  const keyed = jobs.filter((job) => job.idempotency_key !== undefined);
  if (keyed.length === 0) return jobs;
  // Answers of earlier versions have no holder, and the plain key for a name.
  const named = keyed.map((job) => ({ job, name: answerName(job) }));
  const plain = named.flatMap(({ job, name }) =>
    name === job.idempotency_key ? [] : [{ job, name: job.idempotency_key }],
  );
  const all = [...named, ...plain];
  const keys = all.map(({ name }) => [work.account_id, name as string]);
  const [, known] = await Promise.all([work.locked, work.tx.findMany<StoredAnswer>(findStoredAnswers, keys)]);
  const answered = new Set<J>();
  known.forEach((stored, i) => {
    const { job } = all[i] as { job: J };
    if (!stored || answered.has(job) || stored.created_at + ANSWER_LIFETIME_MS < work.now) return;
    if (i >= named.length && stored.holder !== null) return;
    answered.add(job);
    finish(job, job.request_hash === stored.request_hash ? replayed(job, stored) : { error: mismatch(job) });
  });
  return jobs.filter((job) => !answered.has(job));
}

/** The request was done, so it is not done again, also where its answer was erased since. */
function replayed({ idempotency_key }: IdempotentRequest, { answer }: StoredAnswer): JobResult {
  if (answer !== ERASED_ANSWER) return { output: new JsonText(answer) };
  const message =
    `the request with Idempotency-Key ${JSON.stringify(idempotency_key)} was done and is not done again; ` +
    'its answer named something that was erased since';
  return { error: new Fault('answer_erased', message, { idempotency_key }) };
}

const mismatch = ({ idempotency_key }: IdempotentRequest) =>
  new Fault('idempotency_mismatch', `Idempotency-Key ${JSON.stringify(idempotency_key)} was used for another request`, {
    idempotency_key,
  });

/** Keeps the answer to a request with a key, for retries. */
export function storeAnswer(
  work: Work,
  request: IdempotentRequest & { name: string },
  { output, holds }: Pick<WriteResult<unknown>, 'output' | 'holds'>,
): void {
  const { name, caller, idempotency_key, request_hash } = request;
  if (idempotency_key === undefined || request_hash === undefined) return;
  work.storeAnswer({
    idempotency_key: answerName(request),
    request_hash,
    holder: heldName('', caller),
    names: answerNames(output, holds),
    answer: stringify(withoutSecret(name, output)),
  });
}

/** A secret is shown once: the stored answer does not contain it. */
function withoutSecret(name: string, output: unknown): unknown {
  const { once } = (operations as Readonly<Record<string, { once?: readonly string[] } | undefined>>)[name] ?? {};
  if (once === undefined) return output;
  const hidden = once.filter((member) => member in (output as object)).map((member) => [member, null]);
  return { ...(output as object), ...Object.fromEntries(hidden) };
}

export const deleteExpiredAnswers: MaintenanceTask = {
  name: 'kernel.forget_answers',
  async run({ services: { database, clock } }) {
    await database.maintenanceTransaction((tx) => deleteOldAnswers(tx, clock.now() - ANSWER_LIFETIME_MS));
  },
};
