import { findOutcomes, listLinesAbout, type ReadContext, readableRows } from '@mem-service/server/module';
import type { NumberedVersion } from '../evaluation/index.ts';
import { versionName } from './read-sets.ts';

/** What outcomes that rested on a version did to its entry. */
export type LedgerOfVersion = { successes: number; failures: number; confidence_change: number };

const LINES_OF_ONE = 100;
const MAX_LINES = 5000;

/** By the names of the versions; of so many of the newest outcomes about each entry that the reader may see. */
export async function ledgerOf(
  context: ReadContext,
  versions: readonly NumberedVersion[],
  each = LINES_OF_ONE,
): Promise<ReadonlyMap<string, LedgerOfVersion>> {
  const { scan, dialect, caller } = context;
  const { account_id, agent_id } = caller;
  const found = new Map(versions.map((one) => [versionName(one), { successes: 0, failures: 0, confidence_change: 0 }]));
  if (versions.length === 0) return found;
  const ids = dialect.numbers([...new Set(versions.map(({ entry_id }) => entry_id))]);
  const lines = await listLinesAbout(scan, account_id, { ids, each, most: MAX_LINES });
  const seqs = [...new Set(lines.map(({ seq }) => seq))];
  const outcomes = (await findOutcomes(scan, account_id, seqs)).flatMap((outcome) => outcome ?? []);
  const shown = outcomes.filter(({ visible_to }) => visible_to === '' || visible_to === agent_id);
  const seen = new Set((await readableRows(context, shown)).map(({ seq }) => seq));
  for (const { seq, entry_id, version, success, confidence_before, confidence_after } of lines) {
    const one = version === null ? undefined : found.get(versionName({ entry_id, version }));
    if (!seen.has(seq) || !one) continue;
    // An attempt may fail in a session that succeeds.
    if (success === 1) one.successes += 1;
    else one.failures += 1;
    one.confidence_change = rounded(one.confidence_change + confidence_after - confidence_before);
  }
  return found;
}

const rounded = (change: number): number => Math.round(change * 1e6) / 1e6;
