import type { Work } from '../../kernel/index.ts';
import { type DoneDemotion, demoteEntries } from './demote.ts';
import { dropVoid, storeProposals } from './propose.ts';
import * as queries from './queries.ts';
import { MAX_RUNS } from './runs.ts';
import type { PlannedStep, RunBounds } from './step.ts';

/** A run that begins where the one before it ended. */
export function startedRun(work: Work, run: queries.RunRow, until: RunBounds): queries.RunRow {
  const { now } = work;
  return {
    ...run,
    ...until,
    run_id: work.services.ids.next(now),
    status: 'running',
    // A log that was set back ends before the place that was reached.
    done_seq: Math.min(run.done_seq, until.until_seq),
    stale_seq: Math.min(run.stale_seq, until.stale_until_seq),
    runs: run.runs + 1,
    run_looked_at: 0,
    run_demoted: 0,
    run_proposed: 0,
    is_full: 0,
    failures: 0,
    started_at: now,
    finished_at: null,
  };
}

/** Keeps the number of places that an account remembers. */
export async function deleteOldest(work: Work, runs: readonly queries.RunRow[]): Promise<void> {
  const oldest = runs.slice(MAX_RUNS - 1).filter(({ status }) => status !== 'running');
  for (const { coverage } of oldest) await queries.deleteRun(work.tx, work.account_id, coverage);
}

export type AdvancedRun = { run: queries.RunRow; demotions: DoneDemotion[] };

/** Does what a step planned, and moves the run past it, in one transaction. A step from another place does nothing. */
export async function applyStep(work: Work, run: queries.RunRow, step: PlannedStep): Promise<AdvancedRun> {
  const { from, to, looked, plan } = step;
  if (run.done_seq !== from.done_seq || run.stale_seq !== from.stale_seq) return { run, demotions: [] };
  const demotions = await demoteEntries(work, run.agent_id, plan.demotions);
  const ids = looked.entries.map(({ entry_id }) => entry_id);
  await dropVoid(work, [...ids, ...looked.goneIds]);
  const { stored, isFull } = await storeProposals(work, run.agent_id, plan.proposals);
  if (!isFull) remember(work, step);
  const isOver = isFull || step.isLast;
  const advanced: queries.RunRow = {
    ...run,
    // Where there is no room, the next run looks at these entries again.
    ...(isFull ? from : to),
    run_looked_at: run.run_looked_at + ids.length,
    run_demoted: run.run_demoted + demotions.length,
    demoted: run.demoted + demotions.length,
    run_proposed: run.run_proposed + stored,
    is_full: Number(isFull),
    status: isOver ? 'done' : 'running',
    finished_at: isOver ? work.now : null,
  };
  work.send(work.tx.insertMany(queries.upsertRun, [advanced]));
  return { run: advanced, demotions };
}

/** The marks of entries that were looked at, for those that are looked at later. */
function remember(work: Work, { looked }: PlannedStep): void {
  const { tx, account_id, dialect } = work;
  const ids = [...looked.entries.map(({ entry_id }) => entry_id), ...looked.goneIds];
  if (ids.length === 0) return;
  work.send(queries.deleteMarks(tx, account_id, dialect.numbers(ids)));
  const rows = looked.marks.map(({ mark, entry_id }) => ({ account_id, mark, entry_id }));
  if (rows.length > 0) work.send(tx.insertMany(queries.insertMarks, rows));
}
