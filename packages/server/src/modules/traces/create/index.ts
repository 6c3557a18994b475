import { Fault, type Input } from '@mem-service/contract';
import {
  changed,
  EVERYONE,
  fromIso,
  hashedBy,
  pageBytes,
  prepares,
  requireRoom,
  toIso,
  type Work,
  writes,
} from '../../../kernel/index.ts';
import { pause } from '../../../turns.ts';
import {
  authorOf,
  type EntryRow,
  EntrySet,
  findVersions,
  isLive,
  mayAgentSee,
  type VersionFacts,
} from '../../entries/index.ts';
import { followOutcome, getUnfollowed } from '../../ledger/index.ts';
import { getSession } from '../../sessions/index.ts';
import { prepareRedactions } from '../prepare.ts';
import { getLastTrace } from '../queries.ts';
import { renderTraces, type Trace } from '../render.ts';
import { type Redactions, redactText, withRedactions } from '../rules/redact.ts';
import { redactJson } from '../rules/redact-json.ts';
import { saveTraces, sealTrace } from '../seal.ts';
import { readPart } from '../session-parts.ts';
import { buildSessionReport, NOTHING_RECORDED, toContext } from '../session-report.ts';
import type { TracePart } from '../shape.ts';

type TraceInput = Input<'traces.create'>;
type TraceAuthor = ReturnType<typeof authorOf>;

/** Stores a trace that a client recorded itself. It is sealed as the next one of its session, like any other. */
const createTrace = writes<'traces.create'>(async (work, { input, caller, prepared }) => {
  const author = authorOf(input, caller);
  const { account_id, now } = work;
  const key = { account_id, agent_id: author.agent_id, session: author.session };
  const session = await getSession(work.tx, key);
  const before = { ...NOTHING_RECORDED, attributes: session?.attributes ?? '{}' };
  const redactions = prepared as Redactions | undefined;
  const report = withRedactions(redactions, () => buildSessionReport(work, input, before));
  await pause();
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
  const outcome = outcome_ref ? await getUnfollowed(work.tx, key, outcome_ref) : undefined;
  if (outcome) work.send(followOutcome(work.tx, account_id, { ...outcome, trace_id }));
  const ended = input.session_ended_at ? fromIso(input.session_ended_at) : now;
  const head = { trace_id, seq, agent_id: author.agent_id, session: author.session, branch, outcome_ref, outcome_type };
  const header = {
    ...report.header,
    final_action_index: null,
    session_started_at: input.session_started_at ? fromIso(input.session_started_at) : null,
    session_ended_at: ended,
    truncated: false,
    ...(input.state_diff ? { state_diff: countsOf(input.state_diff) } : {}),
    ...(outcome ? { outcome_seq: outcome.seq } : {}),
  };
  const others = withRedactions(redactions, () => otherParts(input, now));
  const parts = [...reads, ...others, ...report.parts];
  const last = await getLastTrace(work.tx, key);
  const sealed = await sealTrace(work, { ...head, visible_to, header, parts }, last);
  requireRoom(work, { bytes: sealed.bytes });
  await saveTraces(work, [sealed]);
  await pause();
  await work.waitForSent();
  const viewer = { ...key, scope: undefined };
  const { tx: query, dialect, services } = work;
  const view = { query, viewer, dialect, reader: { caller, services }, bytes: pageBytes(services) };
  const [trace] = await renderTraces(view, [sealed.row], 'whole');
  return changed(trace as Trace, { resource: trace_id, ...hashedBy(trace) });
});

export const create = prepares<'traces.create'>((_, input) => prepareRedactions(input), createTrace);

type NamedRead = TraceInput['causal_entries'][number];
type TracedVersion = Omit<VersionFacts, 'entry_id' | 'content_hash'> & { standing: string | null };

/** The entries that the client read, in the versions it names; the current one where it names none. */
async function readParts(work: Work, input: TraceInput, author: TraceAuthor): Promise<TracePart[]> {
  const { branch, causal_entries } = input;
  const entries = await EntrySet.load(
    work,
    causal_entries.map((given) => ({ ...given, branch })),
  );
  const named = causal_entries.map((given) => ({ given, entry: entries.get({ ...given, branch }) }));
  const versions = await findVersions(
    work.tx,
    work.account_id,
    named.map(({ given, entry }) => ({ entry_id: entry?.entry_id ?? 0, version: given.version ?? 0 })),
  );
  return named.map(({ given, entry }, i): TracePart => {
    const { entity_path, key, read_at } = given;
    const shown = entry && shownOf(work, { given, entry, old: versions[i] });
    if (!shown || !mayAgentSee(shown, author.agent_id))
      throw new Fault('not_found', `there is no entry ${entity_path}/${key}`, { entity_path, key });
    const { version, agent_id, shared, confidence, standing } = shown;
    return readPart({
      entry_id: entry.entry_id,
      version,
      attempt: 0,
      branch,
      entity_path,
      key,
      visible_to: shared === 1 ? EVERYONE : agent_id,
      written_by: agent_id,
      confidence,
      standing,
      read_at: read_at ? fromIso(read_at) : work.now,
      duration_ms: given.duration_ms ?? 0,
    });
  });
}

/** A current version is shown with its standing, an old one as it was written. */
function shownOf({ now }: Work, { given, entry, old }: ResolvedRead): TracedVersion | undefined {
  if (isLive(entry, now) && (given.version === undefined || given.version === entry.version)) return entry;
  return old && old.deleted === 0 ? { ...old, standing: null } : undefined;
}

type ResolvedRead = { given: NamedRead; entry: EntryRow; old: VersionFacts | undefined };

/** Drops entry names from the state diff: they could not be erased. */
const countsOf = ({ entries_created, entries_updated }: NonNullable<TraceInput['state_diff']>) => ({
  entries_created,
  entries_updated,
});

const at = (time: string | null | undefined, now: number): string => toIso(time ? fromIso(time) : now);
function otherParts(input: TraceInput, now: number): TracePart[] {
  const contexts = input.external_contexts.map(({ recorded_at, ...context }): TracePart => {
    return { kind: 'context', data: { ...toContext(context), recorded_at: at(recorded_at, now) } };
  });
  const queries = input.query_events.map(({ parameters, occurred_at, duration_ms, ...rest }): TracePart => {
    const { entity_path } = parameters;
    const data = { ...rest, parameters: redactJson(parameters), duration_ms: duration_ms ?? 0 };
    return {
      kind: 'query',
      entity_path: typeof entity_path === 'string' ? entity_path : null,
      data: { ...data, occurred_at: at(occurred_at, now) },
    };
  });
  const errors = input.error_events.map(({ message, stack_trace, occurred_at, ...rest }): TracePart => {
    const trace = stack_trace ? { stack_trace: redactText(stack_trace) } : {};
    return {
      kind: 'error',
      data: { ...rest, message: redactText(message), ...trace, occurred_at: at(occurred_at, now) },
    };
  });
  return [...contexts, ...queries, ...errors];
}
