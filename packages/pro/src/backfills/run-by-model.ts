import {
  type Consumer,
  type ConsumerContext,
  Fault,
  listTracesBetween,
  type Services,
} from '@mem-service/server/module';
import { fitsPath, isFor } from '../evaluation/index.ts';
import { loadOneJudged } from '../evaluation/load-traces.ts';
import { getJudge } from '../judges/index.ts';
import { eachOf, isUnasked, judgeOnce } from '../outside-model/index.ts';
import {
  type AskingJudge,
  asksModel,
  findVerdicts,
  isChosen,
  isOpen,
  type NewVerdict,
  parseJudges,
  saveWithinPlan,
} from '../verdicts/index.ts';
import { type BackfillRow, getBackfill, getRunning, upsertBackfills } from './queries.ts';
import { ended } from './run.ts';

/** Answers that a crash may lose. */
const TRACES_AT_ONCE = 8;
const QUESTIONS_AT_ONCE = 4;

/** Goes on with the backfills of judges that ask a model, beside those of the others. */
export const runBackfillsByModel: Consumer = {
  name: 'backfills.ask_models',
  event_types: ['backfill_started'],
  starts_at: 'now',
  async handle(context) {
    const { kernel, account_id, isStopping } = context;
    const { read } = kernel.services.database.forAccount(account_id);
    for (;;) {
      const backfill = await getRunning(read, account_id, 1);
      if (!backfill || isStopping()) return;
      await advance(context, backfill);
    }
  },
};

/** Why no more can be asked, and the traces that were left over for that. */
type Stopped = { reason: string | undefined; left: number[] };

async function advance(context: ConsumerContext, backfill: BackfillRow): Promise<void> {
  const { kernel, account_id, isStopping } = context;
  const { scan, read } = kernel.services.database.forAccount(account_id);
  const { for_agent, next_seq, until_seq, sampling_rate } = backfill;
  const limit = Math.min(TRACES_AT_ONCE, backfill.max_traces - backfill.traces);
  const row = await getJudge(read, account_id, backfill.judge_id ?? '');
  const [judge] = row ? (await parseJudges([row])).filter(asksModel) : [];
  const traces =
    limit > 0 && judge
      ? await listTracesBetween(scan, { account_id, agent_id: for_agent, from: next_seq, before: until_seq, limit })
      : [];
  const chosen = judge ? traces.filter((trace) => isChosen(trace, judge, sampling_rate)) : [];
  const stopped: Stopped = { reason: undefined, left: [] };
  const found = judge ? await askAbout(context, { judge, seqs: chosen.map(({ seq }) => seq), stopped }) : [];
  if (isStopping()) return;
  const last = traces.length < limit || limit === 0 ? undefined : traces.at(-1);
  await context.step(async (work) => {
    const now = await getBackfill(work.tx, account_id, backfill.backfill_id);
    if (now?.status !== 'running') return;
    const saved = await saveWithinPlan(work, found);
    if (saved instanceof Fault) {
      const row = ended(work, { ...now, reason: saved.message }, 'stopped');
      work.send(work.tx.insertMany(upsertBackfills, [row]));
      return;
    }
    const after = {
      ...{ ...now, verdicts: now.verdicts + saved.length },
      failed: now.failed + saved.filter(({ result }) => result === 'fail').length,
    };
    const { reason, left } = stopped;
    const passed = { ...after, next_seq: last ? last.seq + 1 : until_seq, traces: now.traces + traces.length };
    const isLeft = new Set(left);
    const done = traces.filter(({ seq }) => !isLeft.has(seq));
    const so_far = { ...after, next_seq: Math.min(...left, passed.next_seq), traces: now.traces + done.length };
    const next = reason === undefined ? passed : ended(work, { ...so_far, reason }, 'stopped');
    work.send(work.tx.insertMany(upsertBackfills, [last || reason !== undefined ? next : ended(work, passed, 'done')]));
  });
}

type AskedTraces = { judge: AskingJudge; seqs: readonly number[]; stopped: Stopped };

/** What the model found, until it can be asked no more. */
async function askAbout(context: ConsumerContext, { judge, seqs, stopped }: AskedTraces): Promise<NewVerdict[]> {
  const { kernel, account_id, isStopping } = context;
  const { services } = kernel;
  const { read } = services.database.forAccount(account_id);
  const place = { judge_id: judge.judge_id, judge_version: judge.version };
  const known = await findVerdicts(
    read,
    account_id,
    seqs.map((trace_seq) => ({ trace_seq, ...place })),
  );
  const missing = seqs.filter((_, i) => {
    const verdict = known[i];
    return verdict === undefined || isOpen(verdict);
  });
  const found: NewVerdict[] = [];
  await eachOf(missing, QUESTIONS_AT_ONCE, async (seq) => {
    if (isStopping()) return;
    if (stopped.reason !== undefined) {
      stopped.left.push(seq);
      return;
    }
    const trace = await loadOneJudged(sourceOf(services, account_id), seq);
    if (!trace || !isFor({ agent_id: judge.for_agent, entity_path: judge.for_path }, trace, fitsPath)) return;
    const asked = { account_id, definition: judge.parsed, trace, ...place, signal: context.stopped };
    const answer = await judgeOnce(services, asked).catch((error: unknown) => {
      if (isUnasked(error)) return error;
      throw error;
    });
    // Another caller has stored a verdict meanwhile.
    if (!answer) return;
    const failure = answer instanceof Fault ? answer.message : answer.isOfServer ? answer.finding.reason : undefined;
    if (failure !== undefined) {
      stopped.reason ??= failure;
      stopped.left.push(seq);
    } else if (!(answer instanceof Fault)) {
      const { finding, model_call, is_partial } = answer;
      found.push({ trace: { seq, trace_id: trace.trace_id, is_partial }, ...place, finding, model_call });
    }
  });
  return found;
}

const sourceOf = ({ database }: Services, account_id: string) => ({
  ...{ query: database.forAccount(account_id).scan, dialect: database.dialect, account_id },
});
