import { Fault, type Input, type Output } from '@mem-service/contract';
import { type Sql, sql } from '../../db/index.ts';
import {
  incompleteBecause,
  isCalled,
  listReadable,
  pageBytes,
  type ReadContext,
  readableRows,
  readScope,
  reads,
  sessionIdOf,
  sessionName,
  toIsoOrNull,
} from '../../kernel/index.ts';
import { inTurns, pause } from '../../turns.ts';
import { staleReadsInScope } from '../entries/index.ts';
import { listStaleReads, loadSessionWithin, sessionInScope } from '../sessions/index.ts';
import { attemptsInScope, plainAttempts } from './attempts.ts';
import * as queries from './queries.ts';
import { completeness, queryFor, type ReadPart, readingsOf, TraceParts } from './render.ts';
import { mergeSpansAndCallsInSteps } from './rules/spans.ts';
import { partsInSteps, startOf } from './session-parts.ts';
import type { TraceHeader } from './shape.ts';
import { viewerOf } from './viewer.ts';

type Explanation = Output<'sessions.explain'>;

/** Explains the open session of the caller, or a sealed one by its trace or its outcome. */
export const explain = reads<'sessions.explain'>(async (context, input) =>
  input.trace_id === undefined && input.outcome_ref === undefined
    ? explainOpen(context, input)
    : explainSealed(context, input),
);

async function explainOpen(context: ReadContext, input: Input<'sessions.explain'>): Promise<Explanation> {
  const { caller, read } = context;
  const { account_id } = caller;
  const agent_id = input.agent_id ?? caller.agent_id;
  const session = sessionName(input.session_id ?? caller.session_id, caller);
  // Only its own agent may look into an open session.
  if (agent_id !== caller.agent_id)
    throw new Fault('not_found', `there is no open session of ${agent_id} that ${caller.agent_id} may see`);
  const key = { account_id, agent_id, session };
  const scope = readScope(caller);
  const bytes = bytesOf(context);
  const { isCut, ...loaded } = await loadSessionWithin(context, key, { bytes, dialect: context.dialect });
  const open = sessionInScope(scope, loaded);
  const parts = new TraceParts();
  for (const { entity_path = null, key = null, entry_id = null, kind, data } of await inTurns(partsInSteps(open)))
    parts.add({ kind, entity_path, key, entry_id, data });
  const chain = await chainOf(context, parts);
  const stale_reads = staleReadsInScope(caller, await listStaleReads(read, key, context));
  await pause();
  return {
    status: 'open',
    trace_id: null,
    outcome_ref: null,
    outcome_type: null,
    agent_id,
    session_id: sessionIdOf(session),
    ...chain.shown,
    attempts: plainAttempts(parts),
    attributes: JSON.parse(open.row?.attributes ?? '{}'),
    stale_reads,
    session_started_at: toIsoOrNull(startOf(open)),
    truncated: open.row?.truncated === 1 || isCut || chain.isCut,
    ...completeness(incompleteBecause({ gaps: context.gaps, session: open.row })),
  };
}

async function explainSealed(context: ReadContext, input: Input<'sessions.explain'>): Promise<Explanation> {
  const { read, dialect } = context;
  const viewer = viewerOf(context);
  const row = await findSealed(context, input);
  if (!row) {
    const { trace_id, outcome_ref } = input;
    const what = trace_id === undefined ? `trace of outcome ${outcome_ref}` : `trace ${trace_id}`;
    throw new Fault('not_found', `there is no ${what}`, trace_id === undefined ? { outcome_ref } : { trace_id });
  }
  const bytes = bytesOf(context);
  const query = await queryFor(context, row);
  const items = await queries.listItems(query, viewer, { seqs: dialect.numbers([row.seq]), kinds: [], bytes });
  const parts = await TraceParts.parse(items.rows);
  const chain = await chainOf(context, parts);
  const [attempts = []] = await attemptsInScope({ query: read, viewer, dialect }, [{ seq: row.seq, parts }]);
  const header = JSON.parse(row.header) as TraceHeader;
  return {
    status: 'sealed',
    trace_id: row.trace_id,
    outcome_ref: row.outcome_ref,
    outcome_type: row.outcome_type,
    agent_id: row.agent_id,
    session_id: sessionIdOf(row.session),
    ...chain.shown,
    attempts,
    attributes: header.attributes,
    stale_reads: [],
    session_started_at: toIsoOrNull(header.session_started_at),
    truncated: header.truncated || items.more || chain.isCut,
    ...completeness(header.causes_incomplete_because),
  };
}

async function findSealed(context: ReadContext, input: Input<'sessions.explain'>) {
  const { read, dialect } = context;
  const viewer = viewerOf(context);
  const rowsOf = (row: queries.TraceRow | undefined) => ({ rows: row ? [row] : [] });
  if (input.trace_id !== undefined) {
    const { rows } = rowsOf(await queries.getTrace(read, viewer, input.trace_id));
    return (await readableRows(context, rows))[0];
  }
  const where: Sql[] = [];
  if (input.agent_id !== undefined) where.push(sql`agent_id = ${input.agent_id}`);
  if (input.session_id !== undefined) where.push(isCalled(input.session_id));
  const outcome_ref = input.outcome_ref as string;
  const { rows } = await listReadable(context, { columns: ['branch'], dialect }, async (filters) =>
    rowsOf(await queries.getTraceByOutcome(read, viewer, { outcome_ref, where: [...where, ...filters] })),
  );
  return rows[0];
}

/** What is recorded, and the values that were read, have an equal share; what is recorded is parsed and made again. */
const bytesOf = ({ services }: ReadContext): number => Math.floor(pageBytes(services) / 2);

async function chainOf(context: ReadContext, parts: TraceParts) {
  const { caller, read: query } = context;
  const { account_id } = caller;
  const fetch = { query, account_id, bytes: bytesOf(context) };
  const { causal_entries, isCut } = await readingsOf(await readableRows(context, parts.of<ReadPart>('read')), fetch);
  await pause();
  const llm_calls = parts.of<Explanation['llm_calls'][number]>('llm_call');
  const shown = {
    causal_chain_length: causal_entries.length,
    causal_entries,
    external_contexts: parts.of<Explanation['external_contexts'][number]>('context'),
    query_events: parts.of<Explanation['query_events'][number]>('query'),
    error_events: parts.of<Explanation['error_events'][number]>('error'),
    tool_calls: parts.of<Explanation['tool_calls'][number]>('action'),
    llm_calls,
    spans: (await inTurns(mergeSpansAndCallsInSteps(parts.of('span'), llm_calls))) as Explanation['spans'],
  };
  return { shown, isCut };
}
