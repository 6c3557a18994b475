import { globsOf, type Input } from '@mem-service/contract';
import { type Sql, sql } from '../../db/index.ts';
import {
  anyGlobCondition,
  cursorsOf,
  cutPage,
  fromIso,
  loggedIn,
  pageBytes,
  type ReadContext,
  readScope,
  reads,
  scopeConditions,
  seqAt,
  sessionIdOf,
  toIso,
} from '../../kernel/index.ts';
import { findOutcomes } from '../ledger/index.ts';
import { endOfStale, listStale, type StalePage, type StalePosition, type StaleReadRow } from './stale-queries.ts';

const cursors = cursorsOf('stale_reads', ['number', 'number']);
const cursorAt = ({ seq, no }: StalePosition): string => cursors.to([seq, no]);

type StaleInput = Input<'stale_reads.list'>;

export const listStaleReads = reads<'stale_reads.list'>(async (context, input) => {
  const { caller, scan, services } = context;
  const viewer = { account_id: caller.account_id, agent_id: caller.agent_id, scope: readScope(caller) };
  const page: StalePage = {
    where: await rangeOf(context, input),
    filters: filtersOf(context, input),
    scan: services.limits.max_scanned_entries,
    limit: input.limit + 1,
    bytes: pageBytes(services),
  };
  let found = await listStale(scan, viewer, page);
  const isFull = found.more || found.rows.length > input.limit;
  const end = isFull ? undefined : await endOfStale(scan, viewer, page);
  if (end) {
    const upTo = sql`(seq, no) >= (${end.seq}, ${end.no})`;
    found = await listStale(scan, viewer, { ...page, where: [...page.where, upTo] });
  }
  const { items, next_cursor, has_more } = cutPage(found, input.limit, cursorAt);
  const stale_reads = await withOutcomes(context, items);
  if (has_more || !end) return { stale_reads, next_cursor, has_more };
  return { stale_reads, next_cursor: cursorAt(end), has_more: true };
});

async function withOutcomes({ scan, caller }: ReadContext, rows: readonly StaleReadRow[]) {
  const outcomes = await findOutcomes(
    scan,
    caller.account_id,
    rows.map(({ seq }) => seq),
  );
  return rows.flatMap((row, i) => {
    const outcome = outcomes[i];
    if (!outcome) return [];
    return {
      entity_path: row.entity_path,
      key: row.key,
      branch: row.read_branch,
      read_version: row.read_version,
      current_version: row.current_version,
      changed_by: row.changed_by,
      value_changed: row.value_changed === 1,
      agent_id: row.agent_id,
      session_id: sessionIdOf(outcome.session),
      outcome_ref: outcome.outcome_ref,
      outcome_type: outcome.outcome_type,
      trace_id: outcome.trace_id,
      committed_at: toIso(outcome.committed_at),
    };
  });
}

async function rangeOf({ read, caller }: ReadContext, input: StaleInput): Promise<Sql[]> {
  const where: Sql[] = [];
  if (input.cursor !== undefined) {
    const [seq, no] = cursors.from(input.cursor);
    where.push(sql`(seq, no) < (${seq}, ${no})`);
  }
  const seqOf = (time: string) => seqAt(read, caller.account_id, fromIso(time));
  if (input.since) where.push(sql`seq >= ${await seqOf(input.since)}`);
  if (input.until) where.push(sql`seq < ${await seqOf(input.until)}`);
  return where;
}

function filtersOf({ view, caller }: ReadContext, input: StaleInput): Sql[] {
  const globs = globsOf(input);
  return [
    loggedIn(view),
    ...scopeConditions(readScope(caller)),
    ...(globs === undefined ? [] : [anyGlobCondition(globs)]),
    ...(input.agent_id === undefined ? [] : [sql`agent_id = ${input.agent_id}`]),
  ];
}
