import { Fault, JsonText, type Output, stringify } from '@mem-service/contract';
import {
  type Caller,
  changed,
  hashedBy,
  incompleteBecause,
  type Lineage,
  readScope,
  unchanged,
  type Work,
  type WriteItem,
  type WriteResult,
  writesTogether,
} from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { authorOf, checkUnchanged, type EntryPlace, EntrySet, staleReadsInScope } from '../entries/index.ts';
import * as queries from '../ledger/index.ts';
import {
  endSession,
  loadSession,
  loadShown,
  type NamedHit,
  type OpenSession,
  type SessionKey,
  type ShownNumbers,
  type StaleRead,
  sessionInScope,
  shownNumbers,
} from '../sessions/index.ts';
import {
  buildSessionReport,
  ledgerKey,
  loadPast,
  type Redactions,
  recordedBefore,
  type SealedTrace,
  type SessionEnd,
  type SessionPast,
  type SessionReport,
  saveTraces,
  sealSession,
  withRedactions,
} from '../traces/index.ts';
import { documentOf, type OutcomeDocument, toCommitted } from './answer.ts';
import type { OutcomeInput } from './causes.ts';
import { causesOf, namedCauses, type OutcomeCauses, type ParsedCauses, readHere } from './causes.ts';
import { type OutcomeItems, ofDifferentSessions } from './different-sessions.ts';
import { emitOutcome } from './emit-outcome.ts';
import { adoptCauses, applyEvidence, type OutcomeAuthor, type WeighedCauses, weighCauses } from './evidence.ts';
import { finalAction } from './final-action.ts';
import { writeLessons } from './lesson.ts';
import { entriesOf, partsOfNamedCauses } from './named-causes.ts';
import { recordStaleReads } from './record-stale.ts';
import { type BroughtBytes, requireRoomForReport } from './room.ts';
import { usedCauses } from './rules/used-causes.ts';
import { checkCausesWritable } from './scopes.ts';
import { staleCauses } from './stale.ts';

const MAX_SHOWN_WITHOUT_CAUSES = 100;

type CommitAnswer = WriteResult<Output<'outcomes.commit'>> | Fault;

/** One transaction: the outcomes, their evidence, the standing of each entry, lessons, sealed traces. */
export const commitTogether = writesTogether<'outcomes.commit'>(async (work, items) => {
  await work.locked;
  const results: CommitAnswer[] = [];
  while (results.length < items.length)
    results.push(...(await commitSome(work, ofDifferentSessions(items.slice(results.length)))));
  return results;
});

/** The rows to write for all outcomes of the batch. */
type OutcomeBatch = BroughtBytes & {
  entries: EntrySet;
  outcomes: queries.OutcomeRow[];
  evidence: queries.EvidenceRow[];
  traces: SealedTrace[];
  hasLesson: boolean;
};

/** Commits from the first outcome up to one that writes an entry: the next outcome must see that write. */
async function commitSome(work: Work, items: OutcomeItems): Promise<CommitAnswer[]> {
  const loadedOutcomes = await Promise.all(items.map((item) => loadOutcome(work, item)));
  const places = loadedOutcomes.flatMap(placesOf);
  await pause();
  const entries = await EntrySet.load(work, places);
  const book: OutcomeBatch = { entries, outcomes: [], evidence: [], traces: [], hasLesson: false, brought: 0 };
  const results: CommitAnswer[] = [];
  for (const loaded of loadedOutcomes) {
    const result = await commitOne(work, book, loaded);
    results.push(result);
    if (book.hasLesson) break;
  }
  await book.entries.save();
  if (book.outcomes.length > 0) work.send(work.tx.insertMany(queries.insertOutcomes, book.outcomes));
  if (book.evidence.length > 0) work.send(work.tx.insertMany(queries.insertEvidence, book.evidence));
  await saveTraces(work, book.traces);
  return results;
}

type LoadedOutcome = {
  caller: Caller;
  input: OutcomeInput;
  lineage: Lineage;
  author: OutcomeAuthor;
  key: SessionKey;
  before: queries.OutcomeRow | undefined;
  session: OpenSession;
  past: SessionPast;
  /** The causes that the caller names. */
  named: ParsedCauses;
  gaps: WriteItem<'outcomes.commit'>['gaps'];
  prepared: unknown;
};

async function loadOutcome(work: Work, item: WriteItem<'outcomes.commit'>): Promise<LoadedOutcome> {
  const { input, caller, lineage, gaps, prepared } = item;
  const author = authorOf(input, caller);
  const { outcome_ref, outcome_type, branch } = input;
  const key: SessionKey = { account_id: work.account_id, agent_id: author.agent_id, session: author.session };
  const [before, session, past] = await Promise.all([
    queries.findCommitted(work.tx, { outcome_ref, outcome_type, branch, scope: readScope(caller), ...key }),
    loadSession(work.tx, key, work.dialect),
    loadPast(work.tx, key),
  ]);
  return { caller, input, lineage, author, key, before, session, past, named: namedCauses(input), gaps, prepared };
}

/** The entries that an outcome names or its session read, to look them up for all outcomes at once. */
function placesOf({ input, lineage, session, before, named }: LoadedOutcome): EntryPlace[] {
  if (before) return [];
  const { branch } = input;
  return [...named.causes, ...readHere(session, input).reads].map(({ entity_path, key }) => ({
    branch,
    entity_path,
    key,
    lineage,
  }));
}

async function commitOne(work: Work, book: OutcomeBatch, loaded: LoadedOutcome): Promise<CommitAnswer> {
  if (loaded.before && !completes(loaded)) return answerAgain(work, loaded.before, loaded);
  const judged = await decideOutcome(work, book, loaded).catch((error: unknown) => {
    if (error instanceof Fault) return error;
    throw error;
  });
  return judged instanceof Fault ? judged : applyOutcome(work, book, { found: loaded, judged });
}

/** Whether this commit says what was used to an earlier one of the same outcome, which credited nothing. */
const completes = ({ before, input }: LoadedOutcome): boolean =>
  before !== undefined && (input.used ?? []).length > 0 && documentOf(before).shown !== undefined;

async function answerAgain(work: Work, row: queries.OutcomeRow, { caller, key }: LoadedOutcome) {
  const viewer = { account_id: work.account_id, agent_id: key.agent_id, scope: readScope(caller) };
  const evidence = await queries.listEvidence(work.tx, viewer, work.dialect.numbers([row.seq]));
  const document = documentOf(row);
  const shown = await loadShown(work.tx, key, { numbers: document.shown ?? [], scope: readScope(caller) });
  const again = { duplicate: true, stale_reads: [], lesson: null, shown };
  return unchanged(toCommitted({ row, document }, evidence, again), shown);
}

type OutcomeDecision = {
  report: SessionReport;
  causes: OutcomeCauses;
  final_action_index: number | null;
  weighed: WeighedCauses;
  stale_reads: StaleRead[];
  /** What the session was shown, where it matters. */
  shown: readonly NamedHit[];
};

/** Decides what an outcome changes. Throws on invalid input; nothing is written yet. */
async function decideOutcome(work: Work, book: OutcomeBatch, loaded: LoadedOutcome): Promise<OutcomeDecision> {
  const { entries } = book;
  const { caller, input, lineage, author, key, session } = loaded;
  const { outcome_type, causal_confidence, branch } = input;
  const before = await recordedBefore(session);
  const report = withRedactions(loaded.prepared as Redactions | undefined, () =>
    buildSessionReport(work, input, before),
  );
  await pause();
  const shown = await shownTo(work, loaded);
  const seen = readHere(sessionInScope(readScope(caller), session), input);
  const last = await outcomeBefore(work, loaded, [...seen.reads, ...shown]);
  const causes = causesOf(input, seen, { named: loaded.named, shown, last });
  checkCausesWritable(caller, causes);
  await pause();
  const final_action_index = finalAction(input, report);
  const weighed = await weighCauses(work, entries, {
    outcome_type,
    causal_confidence,
    branch,
    lineage,
    attributes: report.header.attributes,
    causes,
    author,
  });
  const stale_reads = staleReadsInScope(caller, await staleCauses(work, entries, { key, session, weighed, branch }));
  checkUnchanged(input.if_unchanged, stale_reads);
  await requireRoomForReport(work, book, { input, report, weighed });
  return { report, causes, final_action_index, weighed, stale_reads, shown };
}

/** Loads what the session was shown, where the caller says what it used, or could have said so. */
async function shownTo(work: Work, loaded: LoadedOutcome): Promise<readonly NamedHit[]> {
  const { caller, input, key } = loaded;
  const isSilent =
    readHere(loaded.session, input).reads.length === 0 && !input.causal_entry_keys && input.used === undefined;
  if (!isSilent && (input.used ?? []).length === 0) return [];
  return loadShown(work.tx, key, { numbers: numbersShown(loaded), scope: readScope(caller) });
}

/** The reference of the session's last outcome, where what it cleared may be the reason of a refusal. */
async function outcomeBefore(
  work: Work,
  { caller, input, key, past }: LoadedOutcome,
  seen: Parameters<typeof usedCauses>[1],
): Promise<string | undefined> {
  if (past.last === undefined || usedCauses(input.used ?? [], seen).problems.length === 0) return undefined;
  const viewer = { account_id: key.account_id, agent_id: key.agent_id, scope: readScope(caller) };
  return (await queries.getOutcomeRef(work.tx, viewer, past.last.seq))?.outcome_ref;
}

/** What the session was shown, before and after the commit that this one completes. */
const numbersShown = ({ before, session }: LoadedOutcome): ShownNumbers => [
  ...((before && documentOf(before).shown) ?? []),
  ...shownNumbers(session),
];

async function applyOutcome(
  work: Work,
  book: OutcomeBatch,
  { found: loaded, judged }: { found: LoadedOutcome; judged: OutcomeDecision },
): Promise<CommitAnswer> {
  const { input, author, key, session, past } = loaded;
  const { report, causes, final_action_index, stale_reads, shown } = judged;
  const { branch } = input;
  const weighed = await adoptCauses(book.entries, judged.weighed, { branch, author });
  const because = missingCauses(loaded);
  if (because !== undefined) report.header.causes_incomplete_because = because;
  const row = emitOutcome(work, input, { author, weighed, report });
  const named = partsOfNamedCauses(work, weighed, readHere(session, input));
  const evidence = await applyEvidence(work, book.entries, { weighed, seq: row.seq, branch, author });
  await pause();
  const lesson = await writeLessons(work, book.entries, {
    input,
    lineage: loaded.lineage,
    author,
    causes,
    weighed,
    report,
  });
  const tried = causes.attempts.map((attempt) => entriesOf(attempt.causes, weighed));
  const ending = { key, session, past, named, tried, report, final_action_index };
  const immutable_trace_id = await seal(work, book, { row, evidence, ending });
  const { decision_summary, attributes } = report.header;
  const document: OutcomeDocument = { decision_summary, final_action_index, attributes, immutable_trace_id };
  if (because !== undefined) document.causes_incomplete_because = because;
  const isOpen = evidence.length === 0 && shown.length > 0;
  if (isOpen) document.shown = numbersShown(loaded).slice(0, 2 * MAX_SHOWN_WITHOUT_CAUSES);
  row.document = JSON.stringify(document);
  book.outcomes.push(row);
  book.evidence.push(...evidence);
  await recordStaleReads(work, row, stale_reads);
  await endSession(work, key, session);
  if (lesson) book.hasLesson = true;
  await pause();
  const first = { duplicate: false, stale_reads, lesson, shown: isOpen ? shown : [] };
  const output = toCommitted({ row, document }, evidence, first);
  // As text, which the audit trail hashes and the transport sends. Its advice names what was shown.
  const holds = [output, shown];
  const text = new JsonText(stringify(output), output).knowing(output);
  return changed(text as unknown as typeof output, { resource: row.outcome_id, holds, ...hashedBy(text) });
}

/** Why entries that the session read may be missing from the causes. None are when the caller names all causes. */
function missingCauses({ input, session, gaps }: LoadedOutcome): string | undefined {
  const isNamed = (input.causal_entry_keys ?? input.used) !== undefined;
  const attempts = session.items.filter(({ kind }) => kind === 'attempt');
  const areAttemptsReported = input.attempts.length > 0 || (input.session_metadata.attempts ?? []).length > 0;
  if (isNamed && (areAttemptsReported || attempts.length === 0)) return undefined;
  const ofAttempt = attempts
    .map(({ data }) => (JSON.parse(data) as { causes_incomplete_because?: string }).causes_incomplete_because)
    .find((because) => because !== undefined);
  return ofAttempt ?? incompleteBecause({ gaps, session: session.row });
}

type TraceToSeal = { row: queries.OutcomeRow; evidence: readonly queries.EvidenceRow[]; ending: SessionEnd };

/** Returns the hash of the trace, or null where the client sends the trace later. */
async function seal(work: Work, book: OutcomeBatch, { row, evidence, ending }: TraceToSeal): Promise<string | null> {
  const { seq, agent_id, session, branch, outcome_ref, outcome_type, visible_to, trace_id } = row;
  if (trace_id === null) return null;
  const ledger = new Set(evidence.map(ledgerKey));
  const head = { trace_id, seq, agent_id, session, branch, outcome_ref, outcome_type, visible_to, ledger };
  const sealed = await sealSession(work, head, ending);
  book.traces.push(sealed);
  return sealed.row.hash;
}
