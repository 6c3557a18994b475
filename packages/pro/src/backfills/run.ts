import {
  type Consumer,
  type ConsumerContext,
  EVERYONE,
  Fault,
  listTracesBetween,
  MAIN_BRANCH,
  type Work,
} from '@mem-service/server/module';
import { getBehavior, matchTraces, saveLooks } from '../behaviors/index.ts';
import { isSampled } from '../evaluation/index.ts';
import { getJudge, listActive } from '../judges/index.ts';
import { judgeTraces, parseJudges, saveWithinPlan, VERDICTS_AT_ONCE } from '../verdicts/index.ts';
import { type BackfillRow, getBackfill, getRunning, upsertBackfills } from './queries.ts';

/** So many traces are looked at together, fewer where more would come of them than is stored at once. */
const TRACES_AT_ONCE = 500;
/** So many pages are looked at before the first of them is stored: what was found takes little room. */
const PAGES_AHEAD = 2;
/** Of so many judges few traces fill a transaction. */
const LEAST_AT_ONCE = 10;

/** Goes on with the backfills of an account, one after the other, step by step; after a crash at the last step. */
export const runBackfills: Consumer = {
  name: 'backfills.run',
  event_types: ['backfill_started'],
  starts_at: 'now',
  gives_way_seconds: 2,
  async handle(context) {
    const { kernel, account_id, isStopping } = context;
    const { read } = kernel.services.database.forAccount(account_id);
    for (;;) {
      const backfill = await getRunning(read, account_id, 0);
      if (!backfill || isStopping()) return;
      await runPages(context, backfill);
    }
  },
};

/** Looks at some traces, and stores what it found in the transaction that it is given. */
type Looker = {
  /** How many of them look at a trace. */
  width: number;
  look(traces: readonly TraceBetween[]): Promise<SavePage>;
};
type TraceBetween = Awaited<ReturnType<typeof listTracesBetween>>[number];
type BackfillCounts = { verdicts: number; failed: number };
/** Returns why nothing is stored, where the plan has no room for it. */
type SavePage = (work: Work) => Promise<BackfillCounts | Fault>;

function lookerOf(context: ConsumerContext, backfill: BackfillRow): Promise<Looker> {
  return backfill.behavior_id === null
    ? judgesOf(context, backfill)
    : behaviorOf(context, backfill.behavior_id, backfill);
}

async function judgesOf(context: ConsumerContext, { judge_id, sampling_rate }: BackfillRow): Promise<Looker> {
  const { kernel, account_id, isStopping } = context;
  const { read } = kernel.services.database.forAccount(account_id);
  const judge = judge_id === null ? undefined : await getJudge(read, account_id, judge_id);
  const judges = await parseJudges(judge_id === null ? await listActive(read, account_id) : judge ? [judge] : []);
  return {
    width: judges.length,
    async look(traces) {
      const found = await judgeTraces(sourceIn(context), traces, { judges, rateOf: () => sampling_rate, isStopping });
      return async (work) => {
        const saved = await saveWithinPlan(work, found);
        if (saved instanceof Fault) return saved;
        return { verdicts: saved.length, failed: saved.filter(({ result }) => result === 'fail').length };
      };
    },
  };
}

async function behaviorOf(
  context: ConsumerContext,
  behaviorId: string,
  { sampling_rate }: BackfillRow,
): Promise<Looker> {
  const { kernel, account_id, isStopping } = context;
  const { read } = kernel.services.database.forAccount(account_id);
  const behavior = await getBehavior(read, account_id, behaviorId);
  const behaviors = behavior ? [behavior] : [];
  return {
    width: behaviors.length,
    async look(traces) {
      const chosen = traces.filter(({ trace_id }) => isSampled(trace_id, sampling_rate));
      const found = await matchTraces(sourceIn(context), chosen, { behaviors, isStopping });
      return async (work) => {
        const saved = await saveLooks(work, found);
        return { verdicts: saved.length, failed: saved.filter(({ result }) => result === 'match').length };
      };
    },
  };
}

function sourceIn({ kernel, account_id }: ConsumerContext) {
  const { database } = kernel.services;
  return { query: database.forAccount(account_id).scan, dialect: database.dialect, account_id };
}

/** Some traces of a backfill, looked at and not stored. */
type LookedPage = {
  traces: number;
  /** Where the next page begins; undefined after the last. */
  next_seq: number | undefined;
  save: SavePage;
};

async function lookAtPage(context: ConsumerContext, backfill: BackfillRow): Promise<LookedPage> {
  const { kernel, account_id } = context;
  const { scan } = kernel.services.database.forAccount(account_id);
  const { for_agent, next_seq, until_seq } = backfill;
  const looker = await lookerOf(context, backfill);
  const room = Math.max(LEAST_AT_ONCE, Math.floor(VERDICTS_AT_ONCE / Math.max(1, looker.width)));
  const limit = Math.min(TRACES_AT_ONCE, room, backfill.max_traces - backfill.traces);
  const traces =
    limit > 0 && looker.width > 0
      ? await listTracesBetween(scan, { account_id, agent_id: for_agent, from: next_seq, before: until_seq, limit })
      : [];
  const save = await looker.look(traces);
  const last = traces.length < limit || limit === 0 ? undefined : traces.at(-1);
  return { traces: traces.length, next_seq: last && last.seq + 1, save };
}

/** The pages that are left of a backfill. */
async function* pagesOf(context: ConsumerContext, backfill: BackfillRow): AsyncGenerator<LookedPage, void, undefined> {
  for (let at = backfill; ; ) {
    const page = await lookAtPage(context, at);
    yield page;
    const { next_seq, traces } = page;
    if (next_seq === undefined) return;
    at = { ...at, next_seq, traces: at.traces + traces };
  }
}

/** Stores page after page. The next ones are looked at meanwhile. */
async function runPages(context: ConsumerContext, backfill: BackfillRow): Promise<void> {
  const pages = pagesOf(context, backfill);
  const ahead: Promise<IteratorResult<LookedPage, void>>[] = [];
  const lookAhead = () => {
    const page = pages.next();
    // Where storing fails first, nobody waits for this one.
    page.catch(() => {});
    ahead.push(page);
  };
  for (let i = 0; i < PAGES_AHEAD; i++) lookAhead();
  try {
    for (let next = ahead.shift(); next; next = ahead.shift()) {
      const { value: page } = await next;
      if (!page || context.isStopping()) return;
      lookAhead();
      if (!(await savePage(context, backfill, page))) return;
    }
  } finally {
    await pages.return();
  }
}

/** Returns whether it goes on: another transaction may have cancelled it. */
function savePage(context: ConsumerContext, { backfill_id }: BackfillRow, page: LookedPage): Promise<boolean> {
  return context.longStep(async (work) => {
    const now = await getBackfill(work.tx, context.account_id, backfill_id);
    if (now?.status !== 'running') return false;
    const saved = await page.save(work);
    if (saved instanceof Fault) {
      const row = ended(work, { ...now, reason: saved.message }, 'stopped');
      work.send(work.tx.insertMany(upsertBackfills, [row]));
      return false;
    }
    const { verdicts, failed } = saved;
    const after: BackfillRow = {
      ...now,
      next_seq: page.next_seq ?? now.until_seq,
      traces: now.traces + page.traces,
      verdicts: now.verdicts + verdicts,
      failed: now.failed + failed,
    };
    const row = page.next_seq === undefined ? ended(work, after, 'done') : after;
    work.send(work.tx.insertMany(upsertBackfills, [row]));
    return page.next_seq !== undefined;
  });
}

/** The state after the end, which the log reports. */
export function ended(work: Work, backfill: BackfillRow, status: 'done' | 'cancelled' | 'stopped'): BackfillRow {
  const { backfill_id, traces, verdicts, failed, agent_id } = backfill;
  work.emit({
    event_type: 'backfill_ended',
    ...{ agent_id, branch: MAIN_BRANCH, entity_path: null, key: null, version: null, visible_to: EVERYONE },
    details: { backfill_id, status, traces, verdicts, failed },
  });
  return { ...backfill, status, ended_at: work.now };
}
