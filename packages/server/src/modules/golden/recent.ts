import { EVERYONE, type ReadContext } from '../../kernel/index.ts';
import { findEntriesByNumber } from '../entries/index.ts';
import { listAsked, listRecentTraces, type RecentTrace } from '../traces/index.ts';
import { listShared } from './queries.ts';
import { type AskedQuestion, questionIn } from './rules/question.ts';

type HelpfulEntry = { entity_path: string; key: string };

/** A question that sessions asked before they decided, as everyone may see it. */
export type RecentQuestion = Pick<AskedQuestion, 'question' | 'asked_path' | 'below' | 'branch'> & {
  /** The traces of these sessions, newest first. */
  trace_ids: string[];
  /** Entries that were read after it in sessions that ended well. */
  helped: HelpfulEntry[];
};

type RecentPart = {
  /** On these branches only. */
  branches: ReadonlySet<string>;
  limit: number;
};

/** Traces and questions that are looked at. */
const MAX_TRACES = 300;
const TRACES_AT_ONCE = 50;
const MAX_ASKED = 2_000;
const MAX_HELPED = 500;
/** Of one question. */
const MAX_TRACE_IDS = 5;

const nameOf = ({ question, asked_path, below, branch }: Omit<RecentQuestion, 'trace_ids' | 'helped'>): string =>
  JSON.stringify([question.toLowerCase(), asked_path, below, branch]);

/** The questions that recent sessions asked, newest first, each once. */
export async function recentQuestions(
  context: Pick<ReadContext, 'scan' | 'view' | 'dialect'>,
  { branches, limit }: RecentPart,
): Promise<RecentQuestion[]> {
  const { scan, view } = context;
  const traces = (await listRecentTraces(scan, view.account_id, MAX_TRACES)).filter(
    ({ visible_to, branch }) => visible_to === EVERYONE && branches.has(branch),
  );
  const found = new Map<string, RecentQuestion>();
  for (let at = 0; at < traces.length && found.size < limit; at += TRACES_AT_ONCE)
    await addAsked(context, found, { traces: traces.slice(at, at + TRACES_AT_ONCE), branches });
  const newest = new Map([...found].slice(0, limit));
  if (newest.size > 0) await addHelped(context, newest);
  return [...newest.values()];
}

type SomeTraces = { traces: readonly RecentTrace[]; branches: ReadonlySet<string> };

async function addAsked(
  { scan, view, dialect }: Pick<ReadContext, 'scan' | 'view' | 'dialect'>,
  found: Map<string, RecentQuestion>,
  { traces, branches }: SomeTraces,
): Promise<void> {
  const ids = new Map(traces.map(({ seq, trace_id }) => [seq, trace_id]));
  const seqs = dialect.numbers([...ids.keys()]);
  const asked = await listAsked(scan, { account_id: view.account_id, seqs, limit: MAX_ASKED });
  for (const row of asked.reverse()) {
    const one = row.visible_to === EVERYONE ? questionIn(row) : undefined;
    if (!one || !branches.has(one.branch)) continue;
    const { question, asked_path, below, branch } = one;
    const known = found.get(nameOf(one)) ?? { question, asked_path, below, branch, trace_ids: [], helped: [] };
    const trace_id = ids.get(row.seq) as string;
    if (known.trace_ids.length < MAX_TRACE_IDS && !known.trace_ids.includes(trace_id)) known.trace_ids.push(trace_id);
    found.set(nameOf(one), known);
  }
}

async function addHelped(
  { scan, view }: Pick<ReadContext, 'scan' | 'view'>,
  questions: ReadonlyMap<string, RecentQuestion>,
): Promise<void> {
  const pairs = (await listShared(scan, view.account_id, MAX_HELPED)).filter((pair) => questions.has(nameOf(pair)));
  const entries = await findEntriesByNumber(scan, view.account_id, pairs);
  pairs.forEach((pair, at) => {
    const entry = entries[at];
    const helped = questions.get(nameOf(pair))?.helped;
    if (!entry || entry.shared === 0 || !helped) return;
    const { entity_path, key } = entry;
    if (!helped.some((one) => one.entity_path === entity_path && one.key === key)) helped.push({ entity_path, key });
  });
}
