import { type Consumer, type ConsumerContext, EVERYONE, type LogEvent, type Work } from '../../kernel/index.ts';
import { findEntriesByNumber } from '../entries/index.ts';
import { type CreditedRow, listCredited, listEarlier, listOpenRefs } from '../ledger/index.ts';
import { listAsked, listReadParts } from '../traces/index.ts';
import { goldenIdOf, keepPairs, UNREPLAYED } from './keep.ts';
import * as queries from './queries.ts';
import { type AskedQuestion, isGoodOutcome, questionIn } from './rules/question.ts';

/** Bounds what one batch of outcomes looks at. */
const MAX_QUESTIONS = 2_000;
const MAX_READS = 20_000;
/** Outcomes of the same thing that a revision reaches back to. */
const MAX_EARLIER = 20;

/**
 * Collects the questions whose hit was read, or named as used, in a session that ended well. A later outcome of the same
 * thing that is not a success takes them back.
 */
export const collectGolden: Consumer = {
  name: 'golden.collect',
  event_types: ['outcome'],
  starts_at: 'now',
  batch_size: 100,
  pause_seconds: 0.5,
  handle: collect,
};

type EndedSession = Pick<LogEvent, 'seq' | 'agent_id' | 'branch' | 'visible_to' | 'session' | 'created_at'> & {
  outcome_ref: string;
  isGood: boolean;
};

function endedOf(event: LogEvent): EndedSession {
  const { outcome_ref = '', outcome_type } = JSON.parse(event.details) as {
    outcome_ref?: string;
    outcome_type?: string;
  };
  return { ...event, outcome_ref, isGood: isGoodOutcome(outcome_type) };
}

async function collect(context: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { kernel, account_id } = context;
  const { database } = kernel.services;
  const { scan } = database.forAccount(account_id);
  const ended = events.map(endedOf);
  const good = ended.filter(({ isGood }) => isGood);
  const sources = await sourcesOf(good);
  const asked = sources.length === 0 ? [] : await listAsked(scan, { account_id, seqs: numbersOf(sources), limit: 1 });
  const revising: EndedSession[] = [];
  for (const one of ended) {
    const isNew = asked.length > 0 && good.some(({ agent_id }) => agent_id === one.agent_id);
    if (!one.isGood && (isNew || (await queries.hasGolden(scan, account_id, one.agent_id)))) revising.push(one);
  }
  if (asked.length === 0 && revising.length === 0) return;
  await context.work(async (work) => {
    // Read again: what was erased since then is not kept.
    const pairs = asked.length === 0 ? [] : await pairsOf(work, sources);
    if (pairs.length > 0) await keepPairs(work, pairs);
    for (const one of revising) await withdraw(work, one);
  });

  /** The sessions that ended well, each with the traces that have its questions. */
  async function sourcesOf(good: readonly EndedSession[]): Promise<GoodSession[]> {
    if (good.length === 0) return [];
    const refs = database.dialect.texts([...new Set(good.map(({ outcome_ref }) => outcome_ref))]);
    const open = await listOpenRefs(scan, account_id, refs);
    return Promise.all(
      good.map(async (one) => {
        if (!open.has(one.outcome_ref)) return { ...one, traces: [one.seq] };
        // An outcome that says what was used completes an earlier one, whose trace has the questions.
        const earlier = await listEarlier(scan, { account_id, ...one, before: one.seq }, MAX_EARLIER);
        const same = earlier.filter(({ session }) => session === one.session).map(({ seq }) => seq);
        return { ...one, traces: [one.seq, ...same] };
      }),
    );
  }

  function numbersOf(sources: readonly GoodSession[]) {
    return database.dialect.numbers([...new Set(sources.flatMap(({ traces }) => traces))]);
  }
}

type GoodSession = EndedSession & { traces: readonly number[] };

type FoundPair = { session: GoodSession; question: AskedQuestion; credited: CreditedRow };

/** The entries that a good outcome is traced back to, among those that a question showed before they were read. */
async function pairsOf(work: Work, sources: readonly GoodSession[]): Promise<queries.GoldenRow[]> {
  const { tx, account_id, dialect } = work;
  const seqs = dialect.numbers([...new Set(sources.flatMap(({ traces }) => traces))]);
  const [asked, reads, credited] = await Promise.all([
    listAsked(tx, { account_id, seqs, limit: MAX_QUESTIONS }),
    listReadParts(tx, { account_id, seqs, limit: MAX_READS }),
    listCredited(tx, account_id, dialect.numbers(sources.map(({ seq }) => seq))),
  ]);
  const questions = asked.flatMap((row) => questionIn(row) ?? []);
  const lastRead = new Map<string, number>();
  for (const { seq, entry_id, data } of reads) {
    const { read_at } = JSON.parse(data) as { read_at?: string };
    lastRead.set(
      `${seq} ${entry_id}`,
      Math.max(Date.parse(read_at ?? '') || 0, lastRead.get(`${seq} ${entry_id}`) ?? 0),
    );
  }
  const found = sources.flatMap((session) =>
    questions
      .filter(({ trace_seq }) => session.traces.includes(trace_seq))
      .flatMap((question) =>
        credited
          .filter(({ seq, entry_id }) => seq === session.seq && question.entries.has(entry_id))
          // What was named without being read has no time.
          .filter(({ entry_id }) => (lastRead.get(`${question.trace_seq} ${entry_id}`) ?? question.at) >= question.at)
          .map((credited) => ({ session, question, credited })),
      ),
  );
  return rowsOf(work, found);
}

async function rowsOf({ tx, account_id }: Work, found: readonly FoundPair[]): Promise<queries.GoldenRow[]> {
  const heads = await findEntriesByNumber(
    tx,
    account_id,
    found.map(({ credited }) => credited),
  );
  const rows = new Map<string, queries.GoldenRow>();
  found.forEach(({ session, question, credited }, at) => {
    const head = heads[at];
    const { agent_id, seq, created_at } = session;
    if (head?.deleted !== 0 || head.branch !== question.branch) return;
    if (head.shared === 0 && head.agent_id !== agent_id) return;
    const isPrivate =
      head.shared === 0 || [session, question, credited].some(({ visible_to }) => visible_to !== EVERYONE);
    const { entries: _, at: __, ...asked } = question;
    const named = { ...asked, agent_id, visible_to: isPrivate ? agent_id : EVERYONE, entry_id: credited.entry_id };
    const golden_id = goldenIdOf(named);
    const times = (rows.get(golden_id)?.times ?? 0) + Number(rows.get(golden_id)?.outcome_seq !== seq);
    const when = { first_at: rows.get(golden_id)?.first_at ?? created_at, last_at: created_at, outcome_seq: seq };
    rows.set(golden_id, { account_id, golden_id, ...named, version: credited.version, times, ...when, ...UNREPLAYED });
  });
  return [...rows.values()];
}

async function withdraw({ tx, account_id, dialect }: Work, revising: EndedSession): Promise<void> {
  const { agent_id, outcome_ref, branch, seq } = revising;
  const earlier = await listEarlier(tx, { account_id, agent_id, outcome_ref, branch, before: seq }, MAX_EARLIER);
  if (earlier.length === 0) return;
  await queries.withdrawGolden(tx, { account_id, agent_id, seqs: dialect.numbers(earlier.map(({ seq }) => seq)) });
}
