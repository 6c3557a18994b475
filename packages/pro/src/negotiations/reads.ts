import {
  cursorsOf,
  cutPage,
  type Handlers,
  pageBytes,
  type RoomMember,
  reads,
  withinPage,
} from '@mem-service/server/module';
import * as queries from './queries.ts';
import { loadNegotiation, toListed, toNegotiation, toStep } from './render.ts';

const cursors = cursorsOf('negotiations', ['number']);

const list = reads<'negotiations.list'>(async ({ read, caller, services, now }, { status, limit, cursor }) => {
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : cursors.from(cursor)[0];
  const { account_id } = caller;
  const { room_id } = caller.room as RoomMember;
  const rows = await queries.listNegotiations(read, { account_id, status, before, limit: limit + 1, now });
  const found = withinPage(services, rows, ({ title, agent_id }) => [title, agent_id]);
  const { items, ...page } = cutPage(found, limit, (row) => cursors.to([row.created_seq]));
  return { negotiations: items.map((row) => toListed(row, { room_id, now })), ...page };
});

const readOne = reads<'negotiations.read'>(async ({ read, caller, services, now }, { negotiation_id }) => {
  const { account_id } = caller;
  const { room_id } = caller.room as RoomMember;
  const opened = await loadNegotiation(read, account_id, negotiation_id);
  const { proposal_no: no } = opened.row;
  const [proposal, steps] = await Promise.all([
    no === 0 ? undefined : queries.getStep(read, account_id, { negotiation_id, no }),
    queries.listSteps(read, account_id, { negotiation_id, bytes: pageBytes(services) }),
  ]);
  const { rows, more } = withinPage(services, steps, (row) => [row.proposal, row.rationale, row.agent_id]);
  return { ...toNegotiation(opened, { room_id, now, proposal }), steps: rows.map(toStep), truncated: more };
});

export const readHandlers: Handlers = { 'negotiations.list': list, 'negotiations.read': readOne };
