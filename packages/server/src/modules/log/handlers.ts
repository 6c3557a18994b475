import { EVERYONE, type Handlers, reads, toIso } from '../../kernel/index.ts';
import { type EventRow, listEvents } from './queries.ts';

const list = reads<'log.list'>(async ({ read, caller }, { after, limit }) => {
  const rows = await listEvents(read, caller.account_id, { after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const seen = page.filter((row) => row.visible_to === EVERYONE || row.visible_to === caller.agent_id);
  return { events: seen.map(toEvent), last_seq: page.at(-1)?.seq ?? after, has_more: rows.length > limit };
});

const toEvent = ({ visible_to: _, ...row }: EventRow) => ({
  ...row,
  details: detailsOf(row),
  created_at: toIso(row.created_at),
});

/** An event about an entry names it in its details too, as the timeline does. */
function detailsOf({ entity_path, key, version, details }: Omit<EventRow, 'visible_to'>): Record<string, unknown> {
  const rest = JSON.parse(details) as Record<string, unknown>;
  return entity_path === null ? rest : { entity_path, key, version, ...rest };
}

export const handlers: Handlers = { 'log.list': list };
