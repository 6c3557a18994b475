import { EVERYONE, follows, type Handlers, listEvents, reads } from '../../kernel/index.ts';
import { toEvent, toText } from './events.ts';
import { acceptorOf } from './rules.ts';

const list = reads<'log.list'>(async ({ read, caller }, { after, limit }) => {
  const rows = await listEvents(read, caller.account_id, { after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const seen = page.filter((row) => row.visible_to === EVERYONE || row.visible_to === caller.agent_id);
  return { events: seen.map(toEvent), last_seq: page.at(-1)?.seq ?? after, has_more: rows.length > limit };
});

const stream = follows<'log.stream'>(({ caller }, { after, ...wanted }) => {
  const accepts = acceptorOf(wanted);
  return {
    after,
    toText,
    accepts: (event) => (event.visible_to === EVERYONE || event.visible_to === caller.agent_id) && accepts(event),
  };
});

export const handlers: Handlers = { 'log.list': list, 'log.stream': stream };
