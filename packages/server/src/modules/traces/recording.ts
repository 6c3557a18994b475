import { Fault, invalidInput, traceShapes } from '@mem-service/contract';
import {
  type Caller,
  changed,
  type Handlers,
  hashedBy,
  incompleteBecause,
  prepares,
  readScope,
  toIso,
  type Work,
  type WriteResult,
  writes,
} from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { authorOf } from '../entries/index.ts';
import {
  addItem,
  countAttemptReads,
  listActionPlaces,
  openSession,
  type SessionRow,
  saveSession,
} from '../sessions/index.ts';
import { prepareRedactions, prepareSize } from './prepare.ts';
import { pricesOf } from './prices.ts';
import { completeness } from './render.ts';
import { mergeAttributes, normalKey } from './rules/attributes.ts';
import { normalizeCall } from './rules/llm-calls.ts';
import { type Redactions, redactText, withRedactions } from './rules/redact.ts';
import { attributeProblem, redactAttributes, toAction, toContext, toSpan } from './session-report.ts';

type RecordingAuthor = ReturnType<typeof authorOf>;
type AuthorFields = { agent_id?: string | undefined; session_id?: string | undefined };

/** Returns the session of the caller; opens it where it is missing. */
async function sessionFor(
  work: Work,
  input: AuthorFields,
  caller: Caller,
): Promise<{ author: RecordingAuthor; row: SessionRow }> {
  const author = authorOf(input, caller);
  const row = await openSession(work, {
    account_id: work.account_id,
    agent_id: author.agent_id,
    session: author.session,
  });
  return { author, row };
}

/** Texts of a large input were redacted before the transaction began. */
const redacting = <T>(prepared: unknown, run: () => T): T => withRedactions(prepared as Redactions | undefined, run);

export type RecordedItem = {
  author: RecordingAuthor;
  row: SessionRow;
  event_type: string;
  details: Record<string, unknown>;
};

/** Only its own agent may see an open session, and so the events about it. */
export function emitRecorded(work: Work, no: number, { author, row, event_type, details }: RecordedItem) {
  saveSession(work, row);
  const { agent_id, session_id, session } = author;
  const place = { branch: 'main', entity_path: null, key: null, version: null };
  work.emit({ event_type, agent_id, ...place, visible_to: agent_id, details, session });
  return { item_id: String(no), agent_id, session_id, recorded_at: toIso(work.now) };
}

/** The audit line of a recorded item names the item's number. */
const asItem = <T extends { item_id: string }>(output: T): WriteResult<T> =>
  changed(output, { resource: output.item_id, ...hashedBy(output) });

const recordContext = writes<'sessions.record_context'>(async (work, { input, caller, prepared }) => {
  const { author, row } = await sessionFor(work, input, caller);
  const { label, source, ...data } = redacting(prepared, () => toContext(input));
  const no = addItem(work, row, { kind: 'context', data: { label, source, ...data } });
  const recorded = emitRecorded(work, no, { author, row, event_type: 'context', details: { label, source } });
  return asItem({ ...recorded, recorded: label, source });
});

const recordAction = writes<'sessions.record_action'>(async (work, { input, caller, prepared }) => {
  const { author, row } = await sessionFor(work, input, caller);
  const { agent_id: _, session_id: __, ...call } = input;
  const data = redacting(prepared, () => toAction(call, work.now));
  await pause();
  const no = addItem(work, row, { kind: 'action', data });
  const action_index = row.actions++;
  const details = { tool_name: input.tool_name, success: input.success };
  return asItem({ ...emitRecorded(work, no, { author, row, event_type: 'action', details }), action_index });
});

const recordError = writes<'sessions.record_error'>(async (work, { input, caller, prepared }) => {
  const { author, row } = await sessionFor(work, input, caller);
  const { operation, error_type, message, stack_trace } = input;
  const data = redacting(prepared, () => ({
    operation,
    error_type,
    message: redactText(message),
    ...(stack_trace === undefined ? {} : { stack_trace: redactText(stack_trace) }),
  }));
  const no = addItem(work, row, { kind: 'error', data });
  return asItem(emitRecorded(work, no, { author, row, event_type: 'error', details: { operation, error_type } }));
});

const recordLlmCall = writes<'sessions.record_llm_call'>(async (work, { input, caller, prepared }) => {
  const { author, row } = await sessionFor(work, input, caller);
  const { agent_id: _, session_id: __, ...given } = input;
  const result = redacting(prepared, () =>
    normalizeCall(given, {
      prices: pricesOf(work.services.settings),
      now: toIso(work.now),
      newId: () => work.services.ids.next(work.now),
    }),
  );
  if ('errors' in result) throw invalidInput(result.errors);
  const { call } = result;
  const no = addItem(work, row, { kind: 'llm_call', data: call });
  const { model, call_id, cost_usd } = call;
  const recorded = emitRecorded(work, no, { author, row, event_type: 'llm_call', details: { model } });
  return asItem({ ...recorded, call_id, cost_usd });
});

const recordSpan = writes<'sessions.record_span'>(async (work, { input, caller, prepared }) => {
  const { author, row } = await sessionFor(work, input, caller);
  const { agent_id: _, session_id: __, ...given } = input;
  if (given.name === undefined && given.span_id === undefined)
    throw invalidInput([{ path: 'name', message: 'is required for a new span' }]);
  const span = redacting(prepared, () => toSpan(work, given));
  await pause();
  const no = addItem(work, row, { kind: 'span', data: span });
  const { span_id, name } = span;
  return asItem({
    ...emitRecorded(work, no, { author, row, event_type: 'span', details: { span_id, name } }),
    span_id,
  });
});

const setAttributes = writes<'sessions.set_attributes'>(async (work, { input, caller }) => {
  const { author, row } = await sessionFor(work, input, caller);
  const removed = Object.entries(input.attributes).flatMap(([key, value]) => (value === null ? [normalKey(key)] : []));
  const given = Object.fromEntries(Object.entries(input.attributes).filter(([, value]) => value !== null));
  const kept = Object.entries(JSON.parse(row.attributes)).filter(([key]) => !removed.includes(key));
  const merged = mergeAttributes([Object.fromEntries(kept), given]);
  if ('errors' in merged) throw invalidInput(merged.errors.map(attributeProblem));
  const attributes = redactAttributes(merged.attributes);
  row.attributes = JSON.stringify(attributes);
  const keys = Object.keys(input.attributes).length;
  const recorded = emitRecorded(work, work.nextItem(), { author, row, event_type: 'attributes', details: { keys } });
  return asItem({ ...recorded, attributes });
});

const { MAX_ATTEMPTS } = traceShapes;

const recordAttempt = writes<'sessions.record_attempt'>(async (work, { input, caller, gaps }) => {
  const { author, row } = await sessionFor(work, input, caller);
  if (row.attempt >= MAX_ATTEMPTS)
    throw new Fault('conflict', `a session has ${MAX_ATTEMPTS} attempts at most; commit an outcome to start over`);
  const key = { account_id: work.account_id, agent_id: author.agent_id, session: author.session };
  const [entries, action_indices] = await Promise.all([
    countAttemptReads(work.tx, key, { attempt: row.attempt, scope: readScope(caller) }),
    listActionPlaces(work.tx, key, row.attempt),
  ]);
  const { outcome_type, summary = null } = input;
  // A session that this call opened may have begun elsewhere.
  const because = incompleteBecause({ gaps, session: row.opened_at === work.now ? undefined : row });
  const data = {
    attempt: row.attempt + 1,
    outcome_type,
    summary: summary === null ? null : redactText(summary),
    action_indices,
    ...(because === undefined ? {} : { causes_incomplete_because: because }),
  };
  const no = addItem(work, row, { kind: 'attempt', data });
  const attempt = ++row.attempt;
  const details = { attempt, outcome_type };
  const recorded = emitRecorded(work, no, { author, row, event_type: 'attempt', details });
  const counted = { attempt, entries, actions: action_indices.length };
  return asItem({ ...recorded, ...counted, ...completeness(because) });
});

const prepare = (_: unknown, input: object) => prepareRedactions(input);

export const recordingHandlers: Handlers = {
  'sessions.record_context': prepares(prepare, recordContext),
  'sessions.record_action': prepares(prepare, recordAction),
  'sessions.record_error': prepares(prepare, recordError),
  'sessions.record_llm_call': prepares(prepare, recordLlmCall),
  'sessions.record_span': prepares(prepare, recordSpan),
  // Attributes are few and short; whatever is longer is refused.
  'sessions.set_attributes': prepares((_, input) => prepareSize(input), setAttributes),
  'sessions.record_attempt': recordAttempt,
};
