import {
  bytesOfTexts,
  cursorsOf,
  cutPage,
  findEntriesByNumber,
  pageBytes,
  reads,
  startWithin,
  withinPage,
} from '@mem-service/server/module';
import { toDecision, toFound, toQuarantine } from './answers.ts';
import { findQuarantine } from './changes.ts';
import { chosenOf, Sight } from './found.ts';
import { listQuarantinedEntries, listQuarantines } from './queries.ts';
import type { TracedEntry } from './search.ts';
import { searchFrom } from './target.ts';

const traceCursors = cursorsOf('quarantine.trace', ['number', 'number']);
const ROW_BYTES = 200;

const trace = reads<'quarantine.trace'>(async (context, input) => {
  const { scan, dialect, caller, view, services } = context;
  const { limit, cursor } = input;
  const reader = { query: scan, dialect, account_id: caller.account_id };
  const search = await searchFrom(reader, { target: input, view, caller_agent: caller.agent_id });
  const sight = await Sight.of(services, caller);
  const entries = chosenOf(await search.foundEntries(), input);
  const decisions = [...search.decisions.values()];
  const seen = entries.filter((entry) => sight.sees(entry));
  const seenDecisions = decisions.filter((decision) => sight.seesDecision(decision));
  const [from, fromDecision] = cursor === undefined ? [0, 0] : traceCursors.from(cursor);
  const half = pageBytes(services) / 2;
  const page = startWithin(
    seen.slice(from, from + limit),
    half,
    (one) => ROW_BYTES + bytesOfTexts([one.entity_path, one.key, one.agent_id, one.branch]),
  );
  const decided = startWithin(
    seenDecisions.slice(fromDecision, fromDecision + limit),
    half,
    (one) => ROW_BYTES + bytesOfTexts([one.outcome_ref ?? '', one.agent_id, one.branch]),
  );
  const next: [number, number] = [from + page.length, fromDecision + decided.length];
  const has_more = next[0] < seen.length || next[1] < seenDecisions.length;
  return {
    entries_found: entries.length,
    decisions_found: decisions.length,
    hidden: entries.length - seen.length,
    hidden_decisions: decisions.length - seenDecisions.length,
    complete: search.isComplete,
    entries: page.map(toFound),
    decisions: decided.map(toDecision),
    has_more,
    next_cursor: has_more ? traceCursors.to(next) : null,
  };
});

const cursors = cursorsOf('quarantines', ['number']);

const list = reads<'quarantine.list'>(async ({ read, caller, services }, { status, limit, cursor }) => {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const { account_id } = caller;
  const page = { account_id, before, status, limit: limit + 1, bytes: pageBytes(services) };
  const found = withinPage(services, await listQuarantines(read, page), ({ reason, agent_id }) => [reason, agent_id]);
  const { items, ...rest } = cutPage(found, limit, (row) => cursors.to([row.created_seq]));
  return { quarantines: items.map(toQuarantine), ...rest };
});

const entryCursors = cursorsOf('quarantine.read', ['number']);

const readOne = reads<'quarantine.read'>(async (context, { quarantine_id, limit, cursor }) => {
  const { read, caller, services } = context;
  const { account_id } = caller;
  const after = cursor === undefined ? -1 : entryCursors.from(cursor)[0];
  const quarantine = await findQuarantine({ tx: read, account_id }, quarantine_id);
  const rows = await listQuarantinedEntries(read, { account_id, quarantine_id, after, limit: limit + 1 });
  const heads = await findEntriesByNumber(read, account_id, rows);
  const sight = await Sight.of(services, caller);
  const placed = rows.map((row, i) => ({ row, head: heads[i] }));
  const bytes = ({ head }: (typeof placed)[number]) =>
    ROW_BYTES + bytesOfTexts(head ? [head.entity_path, head.key, head.agent_id, head.branch] : []);
  const within = startWithin(placed, pageBytes(services), bytes);
  const found = { rows: within, more: within.length < placed.length };
  const { items, ...page } = cutPage(found, limit, ({ row }) => entryCursors.to([row.no]));
  const entries = items.flatMap(({ row, head }): TracedEntry[] =>
    head && sight.sees(head) ? [{ ...head, version: row.version, depth: row.depth }] : [],
  );
  return { quarantine: toQuarantine(quarantine), entries: entries.map(toFound), ...page };
});

export const readHandlers = { 'quarantine.trace': trace, 'quarantine.list': list, 'quarantine.read': readOne };
