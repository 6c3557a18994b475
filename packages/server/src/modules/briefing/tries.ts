import { isNewestOfOneBranch, pageBytes, type ReadContext, readScope, toIso } from '../../kernel/index.ts';
import { listNewestOutcomesOf, listOutcomesAt, listOutcomesOf, type SeenOutcome } from '../ledger/index.ts';
import { isSuccess, parseOutcomeType } from '../outcomes/index.ts';
import { listTries, type SessionTries } from '../traces/index.ts';
import type { BriefingAnswer } from './handlers.ts';
import { groupTries, type Try } from './rules/tried.ts';

/** Outcomes of each entry, and in all. */
const EACH = 5;
const OUTCOMES = 24;
const SHOWN = 8;
const MAX_TEXT = 300;

/** What was tried here, newest first, from the outcomes that entries here led to. */
export async function findTries(
  { scan, caller, dialect, services, view }: ReadContext,
  tested: readonly number[],
): Promise<BriefingAnswer['tried_here']> {
  if (tested.length === 0) return [];
  const seqs = await outcomesOf({ scan, dialect, view }, tested);
  const viewer = { account_id: caller.account_id, agent_id: caller.agent_id, scope: readScope(caller) };
  const outcomes = await listOutcomesAt(scan, viewer, dialect.numbers(seqs));
  const trace_ids = outcomes.flatMap(({ trace_id }) => trace_id ?? []);
  const sessions = await listTries(scan, { viewer, dialect }, { trace_ids, bytes: pageBytes(services) });
  const byTrace = new Map(sessions.map((session) => [session.trace_id, session]));
  const tries = outcomes.flatMap((outcome) => triesOf(outcome, byTrace.get(outcome.trace_id ?? '')));
  return groupTries(tries)
    .slice(0, SHOWN)
    .map((tried) => ({ ...tried, last_at: toIso(tried.last_at) }));
}

async function outcomesOf(
  { scan, dialect, view }: Pick<ReadContext, 'scan' | 'dialect' | 'view'>,
  tested: readonly number[],
) {
  if (isNewestOfOneBranch(view)) {
    const asked = { ids: dialect.numbers(tested), each: EACH, most: OUTCOMES };
    return listNewestOutcomesOf(scan, view.account_id, asked);
  }
  const placed = await listOutcomesOf(
    scan,
    view,
    tested.map((entry_id) => ({ entry_id })),
  );
  const newest = placed.sort((a, b) => b.seq - a.seq);
  const counts = new Map<number, number>();
  const some = newest.filter(({ place }) => {
    counts.set(place, (counts.get(place) ?? 0) + 1);
    return (counts.get(place) as number) <= EACH;
  });
  return [...new Set(some.map(({ seq }) => seq))].slice(0, OUTCOMES);
}

const cut = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()}…`);
const succeeded = (type: string): boolean => {
  const known = parseOutcomeType(type);
  return known !== undefined && isSuccess(known);
};

/** The outcome itself and the attempts before it, the last first. */
function triesOf(outcome: SeenOutcome, session: SessionTries | undefined): Try[] {
  const { outcome_ref, outcome_type, agent_id, committed_at } = outcome;
  const { actions = [], attempts = [], final_action_index, decision_summary } = session ?? {};
  const common = { agent_id, at: committed_at, outcome_ref };
  const tried = new Set(attempts.flatMap(({ action_indices }) => action_indices));
  const own = actions.filter((_, at) => !tried.has(at));
  const decisive =
    final_action_index === null || final_action_index === undefined ? own.at(-1) : actions[final_action_index];
  const done = decisive ?? decision_summary;
  const last = {
    ...common,
    success: succeeded(outcome_type),
    outcome_type,
    note: decision_summary === null || decision_summary === undefined ? null : cut(decision_summary),
  };
  const before = attempts.toReversed().flatMap((attempt): Try[] => {
    const { outcome_type, summary } = attempt;
    const action = actions[attempt.action_indices.at(-1) ?? -1] ?? summary;
    if (action === null) return [];
    const note = summary === null ? null : cut(summary);
    return [{ ...common, action: cut(action), success: succeeded(outcome_type), outcome_type, note }];
  });
  // The name of an outcome does not say what was done.
  return done === null || done === undefined ? before : [{ ...last, action: cut(done) }, ...before];
}
