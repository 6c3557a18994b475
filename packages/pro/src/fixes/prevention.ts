import { MAIN_BRANCH, type Output, type ReadContext, toIso, toIsoOrNull } from '@mem-service/server/module';
import { loadReadSets, type RunWithReads, versionIn, versionName } from '../attribution/index.ts';
import { wilson } from '../evaluation/index.ts';
import { collectRuns } from '../segments/index.ts';
import { type FixedEntryRow, type FixRow, listEntriesOf } from './queries.ts';
import { cameBack } from './rules/came-back.ts';
import { wordFor } from './rules/words.ts';

type Prevention = Output<'fixes.read_prevention'>;

const MAX_RUNS = 1000;
const MAX_TRACES = 5;

/** Whether what a fix repaired came back since it was approved, by the runs on `main` that the reader may see. */
export async function readPrevention(context: ReadContext, fix: FixRow): Promise<Prevention> {
  const { fix_id, status, decided_seq, decided_at } = fix;
  const nothing = { before: null, after: null, usual: null, chance: null, trace_ids: [], of: 'readers' as const };
  if (status !== 'approved' || decided_seq === null || decided_at === null) {
    const reason = `The fix is ${status}: nothing has changed on ${MAIN_BRANCH}.`;
    return { fix_id, approved_at: null, came_back: null, reason, ...nothing };
  }
  const at = { ...fix, decided_seq, decided_at };
  const entries = await listEntriesOf(context.read, fix.account_id, fix_id);
  const [earlier, later] = [await runsOf(context, at, 'until'), await runsOf(context, at, 'since')];
  const compared = compareRuns({ earlier, later, entries });
  const { before, after, usual, of, failing } = compared;
  const found = cameBack({ before, after, usual, of, what: wordFor(fix) });
  return {
    ...{ fix_id, approved_at: toIsoOrNull(decided_at), ...found, of, before, after, usual },
    trace_ids: failing.slice(0, MAX_TRACES).map(({ run }) => run.trace_id),
  };
}

type ApprovedFix = FixRow & { decided_seq: number; decided_at: number };

/** The newest runs with what they read, before a fix was approved or since. */
async function runsOf(context: ReadContext, fix: ApprovedFix, side: 'until' | 'since'): Promise<RunWithReads[]> {
  const { judge_id, behavior_id, of_agent, decided_seq, decided_at } = fix;
  // Times are compared first, and places in the log then: several things happen in a millisecond.
  const window = side === 'until' ? { until: toIso(decided_at + 1) } : { since: toIso(decided_at) };
  const by = { judge_id: judge_id ?? undefined, behavior_id: behavior_id ?? undefined };
  const asked = { ...by, agent_id: of_agent === '' ? undefined : of_agent, ...window };
  const { runs } = await collectRuns(context, asked, MAX_RUNS);
  const isOwn = (seq: number) => (side === 'until' ? seq < decided_seq : seq > decided_seq);
  const { sets } = await loadReadSets(
    context,
    runs.filter(({ seq, branch }) => branch === MAIN_BRANCH && isOwn(seq)),
  );
  return sets;
}

type RunsAround = {
  earlier: readonly RunWithReads[];
  later: readonly RunWithReads[];
  entries: readonly FixedEntryRow[];
};

/** By the runs that read the entries; by all where an entry was deleted, which nobody can read any more. */
function compareRuns({ earlier, later, entries }: RunsAround) {
  const blamed = new Set(entries.map(versionName));
  const ids = new Set(entries.map(({ entry_id }) => entry_id));
  const isMisled = ({ reads }: RunWithReads) => [...reads].some((name) => blamed.has(name));
  const isReader = ({ reads }: RunWithReads) => [...reads].some((name) => ids.has(versionIn(name).entry_id));
  const readers = later.filter(isReader);
  const isGone = entries.some(({ action }) => action === 'delete');
  if (isGone) {
    const failing = later.filter(({ failed }) => failed);
    return { of: 'all' as const, before: rateOf(earlier), after: rateOf(later), usual: null, failing };
  }
  const misled = earlier.filter(isMisled);
  const others = earlier.filter((run) => !isMisled(run));
  const failing = readers.filter(({ failed }) => failed);
  return { of: 'readers' as const, before: rateOf(misled), after: rateOf(readers), usual: rateOf(others), failing };
}

const rateOf = (runs: readonly RunWithReads[]) => wilson(runs.filter(({ failed }) => failed).length, runs.length);
