import {
  type Caller,
  type Consumer,
  type ConsumerContext,
  type LogEvent,
  roomShapes,
  SELF_CALLER,
} from '@mem-service/server/module';
import { findAgentNames } from '../rooms/index.ts';
import { listPresent, type PresentParticipant } from './queries.ts';
import { loadNegotiation } from './render.ts';
import { withoutAgents } from './rules/state.ts';
import { saveState } from './save.ts';

/** Who leaves the room counts as abstaining, which may be what was awaited. */
export const followLeavers: Consumer = {
  name: 'negotiations.follow_leavers',
  event_types: ['room_agent_left', 'room_account_left'],
  starts_at: 'now',
  batch_size: 100,
  handle: noteLeavers,
};

/** Whether the event says that the agent left while it took part: it counts as abstaining, also if it is back already. */
function saysThatLeft({ event_type, seq, agent_id, details }: LogEvent, one: PresentParticipant): boolean {
  if (seq < one.created_seq) return false;
  if (event_type === 'room_agent_left') return agent_id === one.agent_id;
  const { label } = JSON.parse(details) as { label?: string };
  return label !== undefined && one.agent_id.endsWith(roomShapes.ROOM_SIGN + label);
}

async function noteLeavers({ account_id, kernel, step }: ConsumerContext, events: readonly LogEvent[]): Promise<void> {
  const { database } = kernel.services;
  const { dialect } = database;
  const { read } = database.forAccount(account_id);
  const participants = await listPresent(read, account_id);
  if (participants.length === 0) return;
  const names = [...new Set(participants.map(({ agent_id }) => agent_id))];
  const there = new Set(await findAgentNames(read, account_id, dialect.texts(names)));
  const leavers = participants.filter(
    (one) => !there.has(one.agent_id) || events.some((event) => saysThatLeft(event, one)),
  );
  for (const negotiationId of new Set(leavers.map(({ negotiation_id }) => negotiation_id))) {
    const own = leavers.filter(({ negotiation_id }) => negotiation_id === negotiationId);
    const gone = own.map(({ agent_id }) => agent_id);
    await step(async (work) => {
      const { row, state } = await loadNegotiation(work.tx, account_id, negotiationId);
      if (state.status !== 'open') return;
      const caller: Caller = { ...SELF_CALLER, account_id, agent_id: gone.at(-1) ?? row.agent_id };
      saveState(
        work,
        { row, state: withoutAgents(state, new Set(gone)) },
        { caller, reason: 'an agent left the room' },
      );
    });
  }
}
