import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { HttpClient, Reply } from './client.ts';

/** A version that the service acknowledged. */
export type Acknowledged = {
  entity_path: string;
  key: string;
  version: number;
  value: unknown;
  deleted: boolean;
  commit_id: string | null;
};

export type WorkloadResult = {
  acknowledged: Acknowledged[];
  /** Answers other than a success, by status and code. */
  refusals: Map<string, number>;
  /** Refusals that lack what they should have, and answers that should not be. */
  wrong: string[];
  /** Requests whose connection broke: they may have happened or not. */
  broken: number;
};

export type RunningLoad = { outcome: WorkloadResult; stop(): Promise<WorkloadResult> };

export const newOutcome = (): WorkloadResult => ({ acknowledged: [], refusals: new Map(), wrong: [], broken: 0 });

export type LoadOptions = {
  writers?: number;
  name: string;
  outcome?: WorkloadResult;
  /** Between the requests of a writer: what is tested meanwhile needs the processor too. */
  pauseMs?: number;
};

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** A word that nothing else holds. */
export const wordFor = (id: string): string =>
  `q${id.replace(/[^a-z0-9]/g, '').replace(/\d/g, (digit) => LETTERS[Number(digit)] as string)}z`;

/** Many clients, each with one request at a time: single writes, deletes and commits of three, until stopped. */
export function startLoad(
  client: HttpClient,
  { writers = 16, name, outcome = newOutcome(), pauseMs = 5 }: LoadOptions,
): RunningLoad {
  let stopped = false;
  const loops = Array.from({ length: writers }, async (_, writer) => {
    for (let turn = 0; !stopped; turn++) {
      await oneTurn(client, { id: `${name}-${writer}-${turn}`, writer: `${name}-${writer}`, turn, outcome });
      await sleep(pauseMs);
    }
  });
  const stop = async () => {
    stopped = true;
    await Promise.all(loops);
    return outcome;
  };
  onTestFinished(async () => void (await stop()));
  return { outcome, stop };
}

type WorkloadTurn = { id: string; writer: string; turn: number; outcome: WorkloadResult };

async function oneTurn(client: HttpClient, { id, writer, turn, outcome }: WorkloadTurn): Promise<void> {
  try {
    const own = { entity_path: `load/${writer}`, key: `k${turn % 5}` };
    const value = { id, text: `${wordFor(id)} é \u0000 ${'x'.repeat(turn % 50)}`, list: [1.5, null, turn] };
    if (turn % 10 === 7) await commit(client, id, outcome);
    else if (turn % 10 === 9) await remove(client, own, outcome);
    else if (turn % 10 === 3) await write(client, { entity_path: 'load/shared', key: `s${turn % 3}`, value }, outcome);
    else await write(client, { ...own, value }, outcome);
  } catch {
    outcome.broken++;
    // Nothing listens for a moment: do not spin.
    await sleep(5);
  }
}

type WorkloadDraft = { entity_path: string; key: string; value: unknown };

async function write(client: HttpClient, draft: WorkloadDraft, outcome: WorkloadResult): Promise<void> {
  const reply = await client.post('/api/v1/entries', draft);
  if (reply.status !== 201) return refuse(outcome, reply);
  outcome.acknowledged.push({ ...draft, version: reply.json.version, deleted: false, commit_id: null });
}

async function remove(
  client: HttpClient,
  at: { entity_path: string; key: string },
  outcome: WorkloadResult,
): Promise<void> {
  const reply = await client.call('DELETE', `/api/v1/entries/${at.entity_path}/${at.key}`);
  if (reply.status === 404) return;
  if (reply.status !== 200) return refuse(outcome, reply);
  outcome.acknowledged.push({ ...at, version: reply.json.version, value: null, deleted: true, commit_id: null });
}

async function commit(client: HttpClient, id: string, outcome: WorkloadResult): Promise<void> {
  const writes = [0, 1, 2].map((n) => ({ entity_path: `commit/${id}`, key: `c${n}`, value: { id, n } }));
  const reply = await client.post('/api/v1/commits', { message: id, writes });
  if (reply.status !== 201) return refuse(outcome, reply);
  const { commit_id, entries } = reply.json as { commit_id: string; entries: { version: number }[] };
  if (entries.length !== 3) outcome.wrong.push(`commit ${id} answered with ${entries.length} entries`);
  writes.forEach((draft, i) => {
    outcome.acknowledged.push({ ...draft, version: entries[i]?.version ?? 0, deleted: false, commit_id });
  });
}

function refuse(outcome: WorkloadResult, { status, headers, json, text }: Reply): void {
  const name = `${status} ${json?.code}`;
  outcome.refusals.set(name, (outcome.refusals.get(name) ?? 0) + 1);
  if (status === 503 && headers['retry-after'] === undefined) outcome.wrong.push(`503 without Retry-After: ${text}`);
  if (status !== 503 && status !== 507) outcome.wrong.push(`${status}: ${text}`);
}
