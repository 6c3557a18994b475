import { Fault, type Input, type JsonText } from '@mem-service/contract';
import { EVERYONE, fromIso, toIso, type Work, writes } from '../../kernel/index.ts';
import { authorOf, type EntryRow, EntrySet, isLive, mayAgentSee } from '../entries/index.ts';
import { loadSession } from '../sessions/index.ts';
import { renderTraces, type Trace } from './render.ts';
import { redactJson, redactText } from './rules/redact.ts';
import { sealTrace } from './seal.ts';
import { readPart } from './session-parts.ts';
import type { Part } from './shape.ts';
import { tellOf } from './told.ts';

type NewTrace = Input<'traces.create'>;
type Author = ReturnType<typeof authorOf>;

/** A trace that a client kept itself. It is sealed as the next of its session, like any other. */
export const create = writes<'traces.create'>(async (work, { input, caller }) => {
  const author = authorOf(input, caller);
  const { account_id, now } = work;
  const key = { account_id, agent_id: author.agent_id, session: author.session };
  const session = await loadSession(work.tx, key);
  const told = tellOf(work, input, { row: session.row, items: [] });
  const reads = await readParts(work, input, author);
  const visible_to =
    reads.length > 0 && reads.every((part) => part.visible_to !== EVERYONE) ? author.agent_id : EVERYONE;
  const trace_id = work.services.ids.next(now);
  const { branch, outcome_ref = null, outcome_type = null } = input;
  const seq = work.emit({
    event_type: 'trace',
    agent_id: author.agent_id,
    branch,
    entity_path: null,
    key: null,
    version: null,
    visible_to,
    details: { trace_id, outcome_ref, outcome_type },
    session: author.session,
  });
  const ended = input.session_ended_at ? fromIso(input.session_ended_at) : now;
  const head = { trace_id, seq, agent_id: author.agent_id, session: author.session, branch, outcome_ref, outcome_type };
  const row = await sealTrace(work, {
    ...head,
    visible_to,
    header: {
      ...told.header,
      final_action_index: null,
      session_started_at: input.session_started_at ? fromIso(input.session_started_at) : null,
      session_ended_at: ended,
      truncated: false,
    },
    parts: [...reads, ...otherParts(input, now), ...told.parts],
  });
  await work.settle();
  const view = { query: work.tx, viewer: key, dialect: work.dialect };
  const [trace] = await renderTraces(view, [row], true);
  return trace as Trace;
});

/** The entries that the client read, in the versions it says; the current one where it says none. */
async function readParts(work: Work, input: NewTrace, author: Author): Promise<Part[]> {
  const { branch } = input;
  const entries = await EntrySet.load(
    work,
    input.causal_entries.map((given) => ({ ...given, branch })),
  );
  return input.causal_entries.map((given): Part => {
    const { entity_path, key } = given;
    const entry: EntryRow | undefined = entries.get({ branch, entity_path, key });
    if (!isLive(entry, work.now) || !mayAgentSee(entry, author.agent_id))
      throw new Fault('not_found', `there is no entry ${entity_path}/${key}`, { entity_path, key });
    const isOld = given.version !== undefined && given.version !== entry.version;
    return readPart({
      entry_id: entry.entry_id,
      version: given.version ?? entry.version,
      attempt: 0,
      branch,
      entity_path,
      key,
      visible_to: entry.shared === 1 ? EVERYONE : entry.agent_id,
      written_by: entry.agent_id,
      confidence: entry.confidence,
      standing: isOld ? null : entry.standing,
      read_at: given.read_at ? fromIso(given.read_at) : work.now,
      duration_ms: given.duration_ms ?? 0,
    });
  });
}

const at = (time: string | null | undefined, now: number): string => toIso(time ? fromIso(time) : now);
const plain = (json: JsonText | undefined): unknown => json?.value ?? {};

function otherParts(input: NewTrace, now: number): Part[] {
  const contexts = input.external_contexts.map(({ label, summary, source = null, recorded_at }): Part => {
    const data = { label, summary: redactText(summary), source, recorded_at: at(recorded_at, now) };
    return { kind: 'context', data };
  });
  const queries = input.query_events.map(({ parameters, occurred_at, duration_ms, ...rest }): Part => {
    const { entity_path } = plain(parameters) as { entity_path?: unknown };
    const data = { ...rest, parameters: redactJson(plain(parameters)), duration_ms: duration_ms ?? 0 };
    return {
      kind: 'query',
      entity_path: typeof entity_path === 'string' ? entity_path : null,
      data: { ...data, occurred_at: at(occurred_at, now) },
    };
  });
  const errors = input.error_events.map(({ message, stack_trace, occurred_at, ...rest }): Part => {
    const trace = stack_trace ? { stack_trace: redactText(stack_trace) } : {};
    return {
      kind: 'error',
      data: { ...rest, message: redactText(message), ...trace, occurred_at: at(occurred_at, now) },
    };
  });
  return [...contexts, ...queries, ...errors];
}
