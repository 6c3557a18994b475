import {
  type Consumer,
  type ConsumerContext,
  Fault,
  findTraces,
  type LogEvent,
  Postponed,
  type TraceFacts,
} from '@mem-service/server/module';
import { fitsPath, isFor, noOpinion } from '../evaluation/index.ts';
import { loadOneJudged } from '../evaluation/load-traces.ts';
import { listActive } from '../judges/index.ts';
import { eachOf, isUnasked, judgeOnce, newModelCall } from '../outside-model/index.ts';
import { type AskingJudge, asksModel, isChosen, parseJudges } from './judge-traces.ts';
import { findVerdicts } from './queries.ts';
import { type NewVerdict, saveWithinPlan } from './save.ts';

/** So many questions of an account wait for a model at the same time. */
const AT_ONCE = 4;
/** While a trace is younger than this, a server that is away is waited for. */
const MAX_WAIT_MS = 15 * 60_000;
const POSTPONED_MS = 30_000;

/**
 * Has models judge traces as they are sealed, beside the judges that ask none. Each verdict is stored as it comes; after a crash those
 * that are missing are asked for.
 */
export const judgeSealedByModel: Consumer = {
  name: 'verdicts.ask_models',
  event_types: ['model_judging_started'],
  starts_at: 'now',
  batch_size: 20,
  handle: askAbout,
};

const tracesIn = ({ details }: LogEvent): readonly number[] =>
  (JSON.parse(details) as { traces?: readonly number[] }).traces ?? [];

type OpenQuestion = { trace: TraceFacts; one: AskingJudge };

async function askAbout(context: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { services } = context.kernel;
  if (services.settings.judging_server === null) return;
  const questions = await questionsIn(context, events);
  let postponed: Postponed | undefined;
  let isFull = false;
  await eachOf(questions, AT_ONCE, async ({ trace, one }) => {
    if (postponed || isFull || context.isStopping()) return;
    const answer = await answerTo(context, { trace, one });
    if (answer instanceof Postponed) postponed = answer;
    else if (answer && !context.isStopping())
      isFull = (await context.step((work) => saveWithinPlan(work, [answer]))) instanceof Fault;
  });
  if (postponed) throw postponed;
}

async function questionsIn(
  { account_id, kernel }: ConsumerContext,
  events: readonly LogEvent[],
): Promise<OpenQuestion[]> {
  const { read } = kernel.services.database.forAccount(account_id);
  const judges = (await parseJudges(await listActive(read, account_id))).filter(asksModel);
  if (judges.length === 0) return [];
  const seqs = [...new Set(events.flatMap(tracesIn))];
  const traces = (await findTraces(read, account_id, seqs)).flatMap((trace) => trace ?? []);
  const all = traces.flatMap((trace) =>
    judges.filter((one) => isChosen(trace, one, one.sampling_rate)).map((one) => ({ trace, one })),
  );
  const known = await findVerdicts(
    read,
    account_id,
    all.map(({ trace, one }) => ({ trace_seq: trace.seq, judge_id: one.judge_id, judge_version: one.version })),
  );
  return all.filter((_, i) => !known[i]);
}

/** Nothing where the judge is not for the trace, or has judged it meanwhile. */
async function answerTo(
  { account_id, kernel, stopped }: ConsumerContext,
  { trace: { seq, created_at }, one }: OpenQuestion,
): Promise<NewVerdict | Postponed | undefined> {
  const { services } = kernel;
  const { database, clock, settings } = services;
  const source = { query: database.forAccount(account_id).scan, dialect: database.dialect, account_id };
  const trace = await loadOneJudged(source, seq);
  if (!trace || !isFor({ agent_id: one.for_agent, entity_path: one.for_path }, trace, fitsPath)) return undefined;
  const { trace_id, is_partial } = trace;
  const place = { judge_id: one.judge_id, judge_version: one.version };
  try {
    const asked = { account_id, definition: one.parsed, trace, ...place, signal: stopped };
    const found = await judgeOnce(services, asked);
    if (!found) return undefined;
    const { finding, model_call } = found;
    if (found.isOfServer && clock.now() - created_at < MAX_WAIT_MS) return new Postponed(finding.reason, POSTPONED_MS);
    return { trace: { seq, trace_id, is_partial: found.is_partial }, ...place, finding, model_call };
  } catch (error) {
    const { judging_server: server } = settings;
    if (!isUnasked(error) || !server) throw error;
    const [usual = ''] = server.models;
    const call = newModelCall(services, { server, model: one.parsed.model ?? usual });
    // Where the budget is spent an open verdict is left, which may be asked for later.
    const model_call = { ...call, error: error.code };
    const finding = noOpinion('skipped', error.message);
    return { trace: { seq, trace_id, is_partial }, ...place, finding, model_call };
  }
}
