import type { Query } from '../../db/index.ts';
import { type EntryView, type Kernel, SELF_CALLER, unchanged } from '../../kernel/index.ts';
import { evidenceStatus, findVersions, standingOf } from '../entries/index.ts';
import { havePartsContent } from '../traces/index.ts';
import * as queries from './queries.ts';
import type { FusionWeights } from './weights.ts';
import { getWeights, listUnfitted, RETRIEVE, upsertWeights } from './weights-queries.ts';

const DAY_MS = 86_400_000;

export type GoldenPair = queries.GoldenRow;

/** Golden queries that were not asked again for a day, by account. */
export async function dueGolden({ services }: Kernel, limit: number): Promise<Map<string, string[]>> {
  const { database, clock } = services;
  const due = await queries.listDue(database.scan, { before: clock.now() - DAY_MS, limit });
  const accounts = new Map<string, string[]>();
  for (const { account_id, golden_id } of due)
    accounts.set(account_id, [...(accounts.get(account_id) ?? []), golden_id]);
  return accounts;
}

/** Those that can still be asked; the question of the others was erased, or removed for its age. */
export async function askableGolden(query: Query, accountId: string, ids: readonly string[]): Promise<GoldenPair[]> {
  const rows = (await queries.findGolden(query, accountId, ids)).filter((row) => row !== undefined);
  const have = await havePartsContent(query, accountId, rows);
  // What was given is in no trace.
  return rows.filter(({ trace_seq }, at) => trace_seq === 0 || have[at]);
}

/** Undefined where the entry is no longer in the view; stale where outcomes refuted it, or its value was replaced. */
export async function isStale(
  query: Query,
  view: EntryView,
  { entry_id, version }: Pick<GoldenPair, 'entry_id' | 'version'>,
): Promise<boolean | undefined> {
  const entry = await queries.getAnswer(query, view, entry_id);
  if (!entry) return undefined;
  if (evidenceStatus(standingOf(entry), entry.confidence) === 'discredited') return true;
  if (entry.version === version) return false;
  const [helped] = await findVersions(query, view.account_id, [{ entry_id, version }]);
  return helped?.content_hash !== entry.content_hash;
}

/** What became of a golden query when it was asked again. */
export type ReplayedGolden = Pick<GoldenPair, 'golden_id' | 'hit_rank' | 'stale' | 'hits' | 'duplicates'>;

/** Stores what was found, and deletes those that can be asked no more. */
export async function saveReplayed(
  kernel: Kernel,
  account_id: string,
  { replayed, gone }: { replayed: readonly ReplayedGolden[]; gone: readonly string[] },
): Promise<void> {
  await kernel.work({ ...SELF_CALLER, account_id }, 'golden.replay', async ({ tx, now, dialect }) => {
    const rows = replayed.map((row) => ({ account_id, ...row, replayed_at: now }));
    if (rows.length > 0) await tx.updateMany(queries.updateReplayed, rows);
    if (gone.length > 0) await queries.deleteGolden(tx, account_id, dialect.texts(gone));
    return unchanged(null);
  });
}

/** An account whose weights are to be fitted and were not for a day. */
export async function dueForWeights({ services }: Kernel): Promise<string | undefined> {
  const { database, clock } = services;
  const [row] = await listUnfitted(database.scan, { before: clock.now() - DAY_MS, limit: 1 });
  return row?.account_id;
}

/** Those that everyone may see, newest first. */
export const sharedGolden = (query: Query, accountId: string, limit: number): Promise<GoldenPair[]> =>
  queries.listShared(query, accountId, limit);

export type FittedWeights = {
  weights: FusionWeights | null;
  fitted_on: number;
  held_out: number;
  mrr_default: number | null;
  mrr_fitted: number | null;
};

/** Stores them unless the account does not want them any more. */
export async function saveWeights(kernel: Kernel, account_id: string, fitted: FittedWeights): Promise<void> {
  await kernel.work({ ...SELF_CALLER, account_id }, 'golden.fit', async ({ tx, now }) => {
    const weights = fitted.weights && JSON.stringify(fitted.weights);
    const row = { account_id, name: RETRIEVE, ...fitted, weights, fitted_at: now };
    if (await getWeights(tx, account_id)) await tx.insertMany(upsertWeights, [row]);
    return unchanged(null);
  });
}
