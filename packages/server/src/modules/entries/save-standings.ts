import { applyStandings, type Work } from '../../kernel/index.ts';
import type { EntryWithLineRow } from './queries.ts';
import type { EntryRow } from './rows.ts';
import { withClaim } from './rules/verdict-standing.ts';
import type { HeadChange } from './save-heads.ts';
import { type Standing, setStanding } from './standing.ts';
import { standingRow, updateStandings, upsertStandings } from './standings.ts';

type JudgedEntry = { entry: EntryWithLineRow; confidence_before: number };

/**
 * Sends what outcomes have changed in the standings of entries, with the newest ledger lines about them. Projections learn of a
 * new row as a whole.
 */
export async function saveStandings(
  work: Work,
  judged: readonly JudgedEntry[],
  areNew: ReadonlySet<EntryRow>,
): Promise<void> {
  const rows = judged.map(({ entry }) => {
    const { line_seq, line_no } = entry;
    return Object.assign(standingRow(entry), { line_seq, line_no });
  });
  // In the order of the table, so that neighbours share a page.
  rows.sort((a, b) => a.entry_id - b.entry_id);
  work.send(work.tx.insertMany(upsertStandings, rows));
  const known = judged.filter(({ entry }) => !areNew.has(entry));
  if (known.length > 0) await applyStandings(work, known);
}

/** Sends how entries stand that were judged before and have a new version now: another value starts over. */
export function saveRestarts(work: Work, heads: readonly Pick<HeadChange, 'before' | 'after'>[]): void {
  const rows = heads.flatMap(({ before, after }) =>
    before && before.standing !== null && !standsAlike(before, after) ? [standingRow(after)] : [],
  );
  if (rows.length > 0) work.send(work.tx.updateMany(updateStandings, rows));
}

const standsAlike = (one: EntryRow, other: EntryRow): boolean =>
  one.standing === other.standing && one.standing_no === other.standing_no && one.confidence === other.confidence;

/** Passes the standing of an entry on to a version that says the same. */
export function copyStanding(next: EntryRow, before: EntryRow): void {
  const standing = JSON.parse(before.standing as string) as Standing;
  next.standing = before.standing;
  next.standing_no = before.standing_no;
  if (standing.outcome_count > 0) next.confidence = before.confidence;
  else if (standing.verdicts) {
    const claimed = withClaim({ confidence: before.confidence, standing }, next.confidence);
    next.confidence = claimed.confidence;
    setStanding(next, claimed.standing);
  }
}
