import { readAccount, type Services, seqAt } from '../../kernel/index.ts';
import { listJudged } from '../ledger/index.ts';
import { type Looked, type LookOptions, lookAt } from './look.ts';
import { sourcesOfOutdated } from './propose.ts';
import * as queries from './queries.ts';
import { type ConsolidationPlan, planConsolidation } from './rules/plan.ts';
import { type Coverage, pathsOfCoverage, viewOfCoverage } from './runs.ts';

/** Entries that a step looks at. */
const STEP = 100;
/** Events of the log that one statement covers, and statements of a step: few entries may be at the paths of a run. */
const STRETCH = 5_000;
const MAX_STRETCHES = 20;
const DAY_MS = 86_400_000;
/** What nobody has read for so long after it was written is stale. */
const STALE_DAYS = 30;

export type RunBounds = { until_seq: number; stale_until_seq: number };
export type RunPlace = { done_seq: number; stale_seq: number };

/** Where a run that begins now will end. */
export async function boundsNow(services: Services, accountId: string): Promise<RunBounds> {
  const { database, clock } = services;
  const { read } = database.forAccount(accountId);
  const account = await readAccount(read, accountId);
  const old = await seqAt(read, accountId, clock.now() - STALE_DAYS * DAY_MS);
  const until_seq = account?.seq ?? 0;
  return { until_seq, stale_until_seq: Math.min(Math.max(old - 1, 0), until_seq) };
}

/** What a step of a run will do. Nothing is changed yet. */
export type PlannedStep = {
  from: RunPlace;
  to: RunPlace;
  isLast: boolean;
  looked: Looked;
  plan: ConsolidationPlan;
};

/** Plans a step outside any transaction; what changes meanwhile is left out when it is applied. */
export async function planStep(
  services: Services,
  { coverage, from, until }: { coverage: Coverage; from: RunPlace; until: RunBounds },
): Promise<PlannedStep> {
  const view = viewOfCoverage(coverage, services);
  const { scan } = services.database.forAccount(coverage.account_id);
  const options = { services, query: scan, view, paths: pathsOfCoverage(coverage) };
  const changed = await nextIds(options, { after: from.done_seq, until: until.until_seq, withJudged: true });
  const room = STEP - changed.ids.length;
  const isThrough = changed.reached >= until.until_seq;
  const old =
    isThrough && room > 0
      ? await nextIds(options, { after: from.stale_seq, until: until.stale_until_seq, withJudged: false, most: room })
      : { ids: [], reached: from.stale_seq };
  const ids = [...new Set([...changed.ids, ...old.ids])];
  const again = (await sourcesOfOutdated(scan, view, changed.ids)).slice(0, STEP);
  const looked = await lookAt(options, [...new Set([...ids, ...again])]);
  const oldIds = new Set(old.ids);
  const stale = looked.entries.filter(({ entry_id }) => oldIds.has(entry_id));
  return {
    from,
    to: { done_seq: Math.max(changed.reached, from.done_seq), stale_seq: Math.max(old.reached, from.stale_seq) },
    isLast: isThrough && old.reached >= until.stale_until_seq,
    // What this run may not see is not gone.
    looked: { ...looked, goneIds: looked.goneIds.filter((id) => ids.includes(id)) },
    plan: planConsolidation(looked.pairs, stale),
  };
}

type NextIds = { after: number; until: number; withJudged: boolean; most?: number };

/** The next entries that were written, or judged, in a stretch of the log, and how far it was read. */
async function nextIds(
  { query, view, paths }: LookOptions,
  { after, until, withJudged, most = STEP }: NextIds,
): Promise<{ ids: number[]; reached: number }> {
  const ids: number[] = [];
  let reached = after;
  for (let n = 0; n < MAX_STRETCHES && reached < until && ids.length < most; n++) {
    const upTo = Math.min(reached + STRETCH, until);
    const left = most - ids.length;
    const rows = await queries.listChanged(query, view, { paths, after: reached, upTo, most: left });
    const end = rows.length === left ? (rows.at(-1)?.seq ?? upTo) : upTo;
    ids.push(...rows.map(({ entry_id }) => entry_id));
    const judged = withJudged
      ? await listJudged(query, view.account_id, { after: reached, upTo: end, most: STEP })
      : [];
    ids.push(...judged.map(({ entry_id }) => entry_id));
    // Entries at one place of the log beyond the limit are left to the next outcome about them.
    reached = judged.length === STEP ? (judged.at(-1)?.seq ?? end) : end;
  }
  return { ids: [...new Set(ids)], reached };
}
