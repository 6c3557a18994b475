import { Fault } from '@mem-service/contract';
import { sql } from '../../../db/index.ts';
import {
  cursorsOf,
  cutPage,
  type Handlers,
  listReadEvents,
  loggedIn,
  pageBytes,
  type ReadContext,
  type ReadEvent,
  reads,
  sessionIdOf,
  toIso,
  withinPage,
} from '../../../kernel/index.ts';
import { findEntriesByNumber, findNamedEntries } from '../../entries/index.ts';
import { entryNode, listIncident } from '../../graph/index.ts';
import { listTracesAfter } from '../../traces/index.ts';

const MAX_READERS = 100;
const cursors = cursorsOf('entries.readers', ['number']);

const listed = reads<'entries.readers'>(async (context, input) => {
  const { scan, view } = context;
  const { entity_path, key } = input;
  const before = input.cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(input.cursor)[0];
  const [entry] = await findNamedEntries(scan, view, { names: [input], including: 'visible' });
  if (!entry) throw new Fault('not_found', `there is no entry ${entity_path}/${key}`, { entity_path, key });
  const at = { account_id: view.account_id, entity_path, key };
  const where = [loggedIn(view), sql`seq < ${before}`];
  const events = await listReadEvents(scan, at, { where, limit: input.limit + 1 });
  const found = withinPage(context.services, events, ({ agent_id, session }) => [agent_id, session]);
  const { items, ...page } = cutPage(found, input.limit, ({ seq }) => cursors.to([seq]));
  const [traces, { readers, truncated }] = await Promise.all([
    tracesOf(context, items),
    readersOf(context, entry.entry_id),
  ]);
  const read = items.map((event, no) => ({
    agent_id: event.agent_id,
    session_id: sessionIdOf(event.session),
    branch: event.branch,
    version: event.version as number,
    read_at: toIso(event.created_at),
    trace_id: traces.get(no) ?? null,
  }));
  return { entity_path, key, reads: read, readers, truncated, ...page };
});

/** The traces that sessions were sealed as, by their place in the list. */
async function tracesOf({ scan, view }: ReadContext, events: readonly ReadEvent[]): Promise<Map<number, string>> {
  if (events.length === 0) return new Map();
  const found = await listTracesAfter(scan, view, events);
  return new Map(found.map(({ no, trace_id }) => [Number(no), trace_id]));
}

/** Every agent that has read the entry, the last one first. */
async function readersOf({ scan, view, services }: ReadContext, entryId: number) {
  const [head] = await findEntriesByNumber(scan, view.account_id, [{ entry_id: entryId }]);
  const nodes = [{ type: 'entry' as const, id: entryNode(entryId) }];
  const { rows, more } = await listIncident(scan, view, {
    nodes,
    sides: ['in'],
    relations: ['read'],
    limit: MAX_READERS + 1,
    bytes: pageBytes(services),
    of: head && { branch: head.branch, until: null },
  });
  const readers = rows
    .map((edge) => ({
      agent_id: edge.other,
      read_count: edge.evidence_count,
      first_read_at: toIso(edge.first_seen),
      last_read_at: toIso(edge.last_seen),
    }))
    .sort((a, b) => (a.last_read_at < b.last_read_at ? 1 : -1));
  return { readers: readers.slice(0, MAX_READERS), truncated: more || rows.length > MAX_READERS };
}

export const readerHandlers: Handlers = { 'entries.readers': listed };
