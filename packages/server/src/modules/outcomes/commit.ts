import { Fault, type Input, invalidInput, type Output } from '@mem-service/contract';
import {
  type Caller,
  changed,
  hashedBy,
  type Item,
  incompleteBecause,
  readReach,
  unchanged,
  type Work,
  type WriteResult,
  writesTogether,
} from '../../kernel/index.ts';
import { authorOf, checkUnchanged, EntrySet, staleFor } from '../entries/index.ts';
import * as queries from '../ledger/index.ts';
import {
  clearSession,
  linkOwnReads,
  loadSession,
  type OpenSession,
  type SessionKey,
  type StaleRead,
  sessionWithin,
} from '../sessions/index.ts';
import {
  type Ending,
  ledgerKey,
  lookBack,
  type Past,
  type Sealed,
  saveTraces,
  sealSession,
  type Told,
  tellOf,
} from '../traces/index.ts';
import { announce } from './announce.ts';
import { type OutcomeDocument, toCommitted } from './answer.ts';
import { type Causes, causesOf } from './causes.ts';
import { type Author, applyEvidence, type Weighed, weigh } from './evidence.ts';
import { writeLesson } from './lesson.ts';
import { namedParts } from './named.ts';
import { checkWritable } from './scopes.ts';
import { staleCauses } from './stale.ts';

type Commit = Input<'outcomes.commit'>;
type Committed = WriteResult<Output<'outcomes.commit'>> | Fault;
type Items = readonly Item<'outcomes.commit'>[];

/** One transaction: the outcomes, their evidence, the standing of each entry, lessons, sealed traces. */
export const commit = writesTogether<'outcomes.commit'>(async (work, items) => {
  await work.locked;
  const results: Committed[] = [];
  while (results.length < items.length)
    results.push(...(await commitSome(work, ofDifferentSessions(items.slice(results.length)))));
  return results;
});

/** As many as can be looked at before any of them is written: what one finds in its session, another may leave there. */
function ofDifferentSessions(items: Items): Items {
  const sessions = new Set<string>();
  const end = items.findIndex(({ input, caller }) => {
    const { agent_id, session } = authorOf(input, caller);
    const isKnown = sessions.has(`${agent_id}\n${session}`);
    sessions.add(`${agent_id}\n${session}`);
    return isKnown;
  });
  return end === -1 ? items : items.slice(0, end);
}

/** What is to be written of all of them. */
type Book = { entries: EntrySet; outcomes: queries.OutcomeRow[]; evidence: queries.EvidenceRow[]; traces: Sealed[] };

/** From the first on, up to one that writes an entry: the next is to find it written. */
async function commitSome(work: Work, items: Items): Promise<Committed[]> {
  const looks = await Promise.all(items.map((item) => look(work, item)));
  const book: Book = { entries: await EntrySet.load(work, []), outcomes: [], evidence: [], traces: [] };
  const results: Committed[] = [];
  for (const found of looks) {
    const result = await commitOne(work, book, found);
    results.push(result);
    if (!(result instanceof Fault) && result.output.lesson) break;
  }
  await book.entries.save();
  if (book.outcomes.length > 0) work.send(work.tx.insertMany(queries.insertOutcomes, book.outcomes));
  if (book.evidence.length > 0) work.send(work.tx.insertMany(queries.insertEvidence, book.evidence));
  saveTraces(work, book.traces);
  return results;
}

type Look = {
  caller: Caller;
  input: Commit;
  author: Author;
  key: SessionKey;
  before: queries.OutcomeRow | undefined;
  session: OpenSession;
  past: Past;
  gaps: Item<'outcomes.commit'>['gaps'];
};

async function look(work: Work, { input, caller, gaps }: Item<'outcomes.commit'>): Promise<Look> {
  const author = authorOf(input, caller);
  const { outcome_ref, outcome_type, branch } = input;
  const key: SessionKey = { account_id: work.account_id, agent_id: author.agent_id, session: author.session };
  const [before, session, past] = await Promise.all([
    queries.findCommitted(work.tx, { ...key, outcome_ref, outcome_type, branch, reach: readReach(caller) }),
    loadSession(work.tx, key),
    lookBack(work.tx, key),
  ]);
  return { caller, input, author, key, before, session, past, gaps };
}

async function commitOne(work: Work, book: Book, found: Look): Promise<Committed> {
  if (found.before) return answerAgain(work, found.before, found);
  const judged = await judge(work, book.entries, found).catch((error: unknown) => {
    if (error instanceof Fault) return error;
    throw error;
  });
  return judged instanceof Fault ? judged : take(work, book, { found, judged });
}

async function answerAgain(work: Work, row: queries.OutcomeRow, { caller, key }: Look) {
  const viewer = { account_id: work.account_id, agent_id: key.agent_id, reach: readReach(caller) };
  const evidence = await queries.listEvidence(work.tx, viewer, work.dialect.numbers([row.seq]));
  return unchanged(toCommitted(row, evidence, { duplicate: true, stale_reads: [], lesson: null }));
}

type Judged = {
  told: Told;
  causes: Causes;
  final_action_index: number | null;
  weighed: Weighed;
  stale_reads: StaleRead[];
};

/** What an outcome says and is to do. Refuses what cannot be taken, and changes nothing. */
async function judge(work: Work, entries: EntrySet, look: Look): Promise<Judged> {
  const { caller, input, author, key, session } = look;
  const { outcome_type, causal_confidence, branch } = input;
  const told = tellOf(work, input, session);
  const causes = causesOf(input, sessionWithin(readReach(caller), session));
  checkWritable(caller, causes);
  const final_action_index = finalAction(input, told);
  const weighed = await weigh(work, entries, {
    outcome_type,
    causal_confidence,
    branch,
    attributes: told.header.attributes,
    causes,
    author,
  });
  const stale_reads = staleFor(caller, await staleCauses(work, entries, { key, session, weighed, branch }));
  checkUnchanged(input.if_unchanged, stale_reads);
  return { told, causes, final_action_index, weighed, stale_reads };
}

async function take(work: Work, book: Book, { found, judged }: { found: Look; judged: Judged }): Promise<Committed> {
  const { input, author, key, session, past } = found;
  const { told, causes, final_action_index, weighed, stale_reads } = judged;
  const because = missingCauses(found);
  if (because !== undefined) told.header.causes_incomplete_because = because;
  const row = announce(work, input, { author, weighed, told });
  const named = namedParts(work, weighed, session);
  const evidence = applyEvidence(work, book.entries, { weighed, seq: row.seq, branch: input.branch, author });
  const lesson = await writeLesson(work, book.entries, { input, author, causes, weighed, told });
  const ending = { key, session, past, named, told, final_action_index };
  const immutable_trace_id = seal(work, book, { row, evidence, ending });
  const { decision_summary, attributes } = told.header;
  const document: OutcomeDocument = { decision_summary, final_action_index, attributes, immutable_trace_id };
  if (because !== undefined) document.causes_incomplete_because = because;
  row.document = JSON.stringify(document);
  book.outcomes.push(row);
  book.evidence.push(...evidence);
  leave(work, key, session);
  const output = toCommitted(row, evidence, { duplicate: false, stale_reads, lesson });
  return changed(output, { resource: row.outcome_id, ...hashedBy(output) });
}

/** Why something that the session read may be missing among the causes. Whoever names all of them misses none. */
function missingCauses({ input, session, gaps }: Look): string | undefined {
  const isNamed = input.causal_entry_keys !== undefined && input.causal_entry_keys !== null;
  const attempts = session.items.filter(({ kind }) => kind === 'attempt');
  const isTold = input.attempts.length > 0 || (input.session_metadata.attempts ?? []).length > 0;
  if (isNamed && (isTold || attempts.length === 0)) return undefined;
  const ofAttempt = attempts
    .map(({ data }) => (JSON.parse(data) as { causes_incomplete_because?: string }).causes_incomplete_because)
    .find((because) => because !== undefined);
  return ofAttempt ?? incompleteBecause({ gaps, session: session.row });
}

/** Counted in the actions of the whole session. */
function finalAction({ final_action_index: index, tool_calls }: Commit, { actions }: Told): number | null {
  if (index === undefined || index === null) return null;
  const offset = tool_calls.length > 0 ? actions - tool_calls.length : 0;
  if (offset + index < actions) return offset + index;
  throw invalidInput([
    { path: 'final_action_index', message: `must be the place of one of ${actions - offset} actions` },
  ]);
}

type Sealing = { row: queries.OutcomeRow; evidence: readonly queries.EvidenceRow[]; ending: Ending };

/** The hash of the trace, where none is to follow. */
function seal(work: Work, book: Book, { row, evidence, ending }: Sealing): string | null {
  const { seq, agent_id, session, branch, outcome_ref, outcome_type, visible_to, trace_id } = row;
  if (trace_id === null) return null;
  const ledger = new Set(evidence.map(ledgerKey));
  const head = { trace_id, seq, agent_id, session, branch, outcome_ref, outcome_type, visible_to, ledger };
  const sealed = sealSession(work, head, ending);
  book.traces.push(sealed);
  return sealed.row.hash;
}

/** The session begins anew. Many hold nothing: who names its causes need not have read them. */
function leave(work: Work, key: SessionKey, session: OpenSession): void {
  linkOwnReads(work, session);
  if (session.row || session.reads.length > 0 || session.items.length > 0) clearSession(work, key);
}
