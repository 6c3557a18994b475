import { type Caller, type LeaverFollower, SELF_CALLER } from '@mem-service/server/module';
import { listPresent } from './queries.ts';
import { loadNegotiation } from './render.ts';
import { stateAt, withoutAgents } from './rules/state.ts';
import { saveState } from './save.ts';

/** Who leaves the room counts as abstaining, which may be what was awaited. */
export const followLeavers: LeaverFollower = async (work, hasLeft) => {
  const { tx, account_id, now } = work;
  const leavers = (await listPresent(tx, account_id)).filter(({ agent_id }) => hasLeft(agent_id));
  for (const negotiationId of new Set(leavers.map(({ negotiation_id }) => negotiation_id))) {
    const { row, state } = await loadNegotiation(tx, account_id, negotiationId);
    // Maintenance ends one whose time is over.
    if (stateAt(state, now).status !== 'open') continue;
    const own = leavers.filter(({ negotiation_id }) => negotiation_id === negotiationId);
    const gone = own.map(({ agent_id }) => agent_id);
    const caller: Caller = { ...SELF_CALLER, account_id, agent_id: gone.at(-1) ?? row.agent_id };
    const left = withoutAgents(state, new Set(gone), now);
    saveState(work, { row, state: left }, { caller, reason: 'an agent left the room' });
  }
};
