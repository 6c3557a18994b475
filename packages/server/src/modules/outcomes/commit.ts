import { type Input, invalidInput } from '@mem-service/contract';
import { EVERYONE, settled, type Work, writes } from '../../kernel/index.ts';
import { authorOf, checkUnchanged, EntrySet } from '../entries/index.ts';
import { linkOutcome } from '../graph/index.ts';
import { clearSession, linkOwnReads, loadSession, type SessionKey } from '../sessions/index.ts';
import { type Ending, sealSession, type Told, tellOf } from '../traces/index.ts';
import { type OutcomeDocument, toCommitted } from './answer.ts';
import { causesOf } from './causes.ts';
import { type Author, applyEvidence, type Weighed, weigh } from './evidence.ts';
import { writeLesson } from './lesson.ts';
import { namedParts } from './named.ts';
import * as queries from './queries.ts';
import { isSuccess, type OutcomeType } from './rules/outcome-types.ts';
import { isReplay } from './rules/steps.ts';
import { staleCauses } from './stale.ts';

type Commit = Input<'outcomes.commit'>;

/** One transaction: the outcome, its evidence, the standing of each entry, the lesson, the sealed trace. */
export const commit = settled(
  'everywhere',
  writes<'outcomes.commit'>(async (work, { input, caller }) => {
    const author = authorOf(input, caller);
    const key: SessionKey = { account_id: work.account_id, agent_id: author.agent_id, session: author.session };
    const before = await queries.findCommitted(work.tx, { ...key, ...input });
    if (before) return answerAgain(work, before, author.agent_id);

    const session = await loadSession(work.tx, key);
    const told = tellOf(work, input, session);
    const causes = causesOf(input, session);
    const final_action_index = finalAction(input, told);
    const entries = await EntrySet.load(work, []);
    const weighed = await weigh(work, entries, { ...input, attributes: told.header.attributes, causes, author });
    const stale_reads = await staleCauses(work, entries, { key, weighed, branch: input.branch });
    checkUnchanged(input.if_unchanged, stale_reads);

    const row = announce(work, input, { author, weighed, told });
    const named = namedParts(work, weighed, session);
    const evidence = applyEvidence(work, entries, { ...weighed, seq: row.seq, branch: input.branch, author });
    const lesson = await writeLesson(work, entries, { input, author, causes, weighed, told });
    await entries.save();
    const hash =
      row.trace_id === null ? null : await seal(work, row, { key, session, named, told, final_action_index });
    const document: OutcomeDocument = {
      decision_summary: told.header.decision_summary,
      final_action_index,
      attributes: told.header.attributes,
      immutable_trace_id: hash,
    };
    row.document = JSON.stringify(document);
    work.send(work.tx.insertMany(queries.insertOutcomes, [row]));
    if (evidence.length > 0) work.send(work.tx.insertMany(queries.insertEvidence, evidence));
    link(work, row, weighed);
    linkOwnReads(work, session);
    clearSession(work, key);
    return toCommitted(row, evidence, { duplicate: false, stale_reads, lesson });
  }),
);

async function answerAgain(work: Work, row: queries.OutcomeRow, agentId: string) {
  const viewer = { account_id: work.account_id, agent_id: agentId };
  const evidence = await queries.listEvidence(work.tx, viewer, work.dialect.texts([String(row.seq)]));
  return toCommitted(row, evidence, { duplicate: true, stale_reads: [], lesson: null });
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

type Announced = { author: Author; weighed: Weighed; told: Told };

/** An outcome that only private entries led to is as private as they are. */
const visibilityOf = ({ live }: Weighed, agentId: string): string =>
  live.size > 0 && [...live.values()].every((entry) => entry.shared === 0) ? agentId : EVERYONE;

/** Puts the outcome into the log, which gives it its place. */
function announce(work: Work, input: Commit, { author, weighed, told }: Announced): queries.OutcomeRow {
  const { outcome_ref, outcome_type, causal_confidence, branch, trace_follows } = input;
  const { agent_id, session } = author;
  const { ids } = work.services;
  const visible_to = visibilityOf(weighed, agent_id);
  const trace_id = trace_follows ? null : ids.next(work.now);
  const shown = [...weighed.live.values()].filter((entry) => visible_to !== EVERYONE || entry.shared === 1);
  const moved = weighed.steps.some((step) => step.causes.some((cause) => cause.status === 'applied'));
  const seq = work.emit({
    event_type: 'outcome',
    agent_id,
    branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to,
    details: {
      outcome_ref,
      outcome_type,
      causal_confidence,
      causal_entries: shown.length,
      entries_updated: moved ? shown.length : 0,
      trace_id,
    },
    session,
  });
  return {
    account_id: work.account_id,
    seq,
    outcome_id: ids.next(work.now),
    outcome_ref,
    outcome_type,
    agent_id,
    session,
    branch,
    causal_confidence,
    is_evidence: Number(!isReplay(told.header.attributes)),
    trace_id,
    visible_to,
    committed_at: work.now,
    document: '',
  };
}

async function seal(work: Work, row: queries.OutcomeRow, ending: Ending): Promise<string> {
  const { seq, agent_id, session, branch, outcome_ref, outcome_type, visible_to } = row;
  const head = { seq, agent_id, session, branch, outcome_ref, outcome_type, visible_to };
  const sealed = await sealSession(work, { ...head, trace_id: row.trace_id as string }, ending);
  return sealed.hash;
}

function link(
  work: Work,
  { outcome_ref, outcome_type, visible_to, branch }: queries.OutcomeRow,
  { live }: Weighed,
): void {
  const causes = [...live.values()].map(({ entry_id, shared, agent_id }) => ({
    branch,
    entry_id,
    visible_to: shared === 1 ? EVERYONE : agent_id,
  }));
  linkOutcome(work, { outcome_ref, visible_to, success: isSuccess(outcome_type as OutcomeType), causes });
}
