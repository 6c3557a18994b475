import { hash } from 'node:crypto';
import { EVERYONE, type Work } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import { type GoldenName, goldenName } from './rules/question.ts';

/** How many an account keeps that everyone may see, and how many that one agent alone may see. */
const MAX_SHARED = 500;
const MAX_PRIVATE = 50;

export const goldenIdOf = (of: GoldenName): string => hash('sha256', goldenName(of), 'hex').slice(0, 32);

/** Of one that was not asked again yet. */
export const UNREPLAYED = { hit_rank: null, stale: null, hits: null, duplicates: null, replayed_at: 0 };

/** Adds golden queries; the oldest give way. */
export async function keepPairs({ tx, account_id, services }: Work, rows: readonly queries.GoldenRow[]): Promise<void> {
  const { max_golden_queries: most = MAX_SHARED } = services.limits;
  await tx.insertMany(queries.insertGolden, rows);
  for (const visible_to of new Set(rows.map((row) => row.visible_to)))
    await queries.deleteOldest(tx, {
      ...{ account_id, visible_to },
      kept: visible_to === EVERYONE ? most : Math.min(most, MAX_PRIVATE),
    });
}
