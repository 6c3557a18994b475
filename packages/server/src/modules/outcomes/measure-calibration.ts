import { type Query, sql } from '../../db/index.ts';
import { EVERYONE } from '../../kernel/index.ts';
import * as queries from '../ledger/index.ts';
import { type Calibration, calibrate } from './rules/calibration.ts';

export type CalibratedSpan = {
  account_id: string;
  branch: string;
  /** The author of the entries; null: all. */
  written_by: string | null;
  from: number;
  before: number;
  most: number;
};

/** The calibration of entries that everyone may see, over the newest outcomes of a part of the log. */
export async function measureCalibration(
  query: Query,
  { account_id, branch, written_by, from, before, most }: CalibratedSpan,
): Promise<Calibration & { truncated: boolean }> {
  const where = [sql`branch = ${branch}`, sql`seq >= ${from}`, sql`seq < ${before}`];
  if (written_by !== null) where.push(sql`written_by = ${written_by}`);
  const everyone = { account_id, agent_id: EVERYONE, scope: undefined };
  const rows = await queries.listPredictions(query, everyone, { where, limit: most + 1 });
  const predictions = rows.slice(0, most).map((row) => ({ ...row, success: row.success === 1 }));
  return { ...calibrate(predictions), truncated: rows.length > most };
}
