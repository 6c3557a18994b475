import { addStored, bytesOfTexts, type Work } from '../../../kernel/index.ts';
import { rowidOf } from '../../text/index.ts';
import type { TraceHeader } from '../shape.ts';
import * as queries from './queries.ts';

/** A range of `seq`, both ends exclusive: traces in it are old. */
export type AgeRange = { after: number; before: number };

/** The size of a batch: small enough that other writes do not wait long. */
const TRACES = 50;

const oldOf = ({ account_id, dialect }: Work, traces: readonly queries.OldTrace[]): queries.OldTraces => {
  const seqs = traces.map(({ seq }) => seq);
  return { account_id, seqs, listed: dialect.numbers(seqs) };
};

const oldest = ({ tx, account_id }: Work, age: AgeRange) => queries.listOld(tx, { account_id, ...age, limit: TRACES });

/** How far the job came, and whether there is more. */
export type AgeProgress = { traces: number; seq: number; more: boolean };

const aged = (traces: readonly queries.OldTrace[], { before }: AgeRange): AgeProgress => {
  const more = traces.length === TRACES;
  return { traces: traces.length, seq: more ? (traces.at(-1)?.seq ?? 0) : before - 1, more };
};

/** Removes some traces, oldest first. The hash of each session's last trace is kept. */
export async function removeOld(work: Work, age: AgeRange): Promise<AgeProgress> {
  const { tx, account_id, dialect } = work;
  const traces = await oldest(work, age);
  if (traces.length > 0) {
    const old = oldOf(work, traces);
    const ends = new Map(traces.map(({ header: _, ...end }) => [`${end.agent_id}\n${end.session}`, end]));
    await tx.insertMany(
      queries.upsertEnds,
      [...ends.values()].map((end) => ({ account_id, ...end })),
    );
    if (dialect.engine === 'sqlite') await deleteWordsOfTraces(work, old.seqs);
    addStored(work, { storage_bytes: -(await queries.sumBytes(tx, old)).all });
    await queries.deleteTraces(tx, old);
    await notifyFollowers(work, old.seqs);
  }
  return aged(traces, age);
}

/** Erases the payloads of some traces. Hashes stay, so that the rest can still be verified. */
export async function erasePayloads(work: Work, age: AgeRange): Promise<AgeProgress> {
  const { tx, account_id, dialect } = work;
  const traces = await oldest(work, age);
  if (traces.length > 0) {
    const old = oldOf(work, traces);
    const { spoken } = await queries.sumBytes(tx, old);
    await queries.erasePayloads(tx, old);
    if (dialect.engine === 'sqlite') await deleteWordsOfTraces(work, old.seqs);
    else await queries.dropSearchWords(tx, old);
    const headers = traces.map(({ agent_id, seq, header }) => ({
      ...{ account_id, agent_id, seq },
      header: withoutPayload(header),
    }));
    const [before, after] = [traces, headers].map((rows) => bytesOfTexts(rows.map(({ header }) => header)));
    addStored(work, { storage_bytes: (after ?? 0) - (before ?? 0) - spoken });
    await tx.updateMany(queries.updateHeaders, headers);
    await notifyFollowers(work, old.seqs);
  }
  return aged(traces, age);
}

async function notifyFollowers(work: Work, seqs: readonly number[]): Promise<void> {
  for (const follow of work.services.followsTraces) await follow(work, seqs);
}

function withoutPayload(text: string): string {
  const gone = { task_input: null, response_text: null, session_metadata: {} };
  const header: TraceHeader = { ...(JSON.parse(text) as TraceHeader), ...gone, payloads_erased: true };
  return JSON.stringify(header);
}

/** On SQLite, for traces that are removed. */
export async function deleteWordsOfTraces({ tx, account, dialect }: Work, seqs: readonly number[]): Promise<void> {
  await queries.deleteTraceWords(tx, dialect.numbers(seqs.map((seq) => rowidOf(account.number, seq))));
}
