import type { Caller, Work } from '@mem-service/server/module';
import { emitRoomEvent } from '../rooms/index.ts';
import * as queries from './queries.ts';
import type { OpenedNegotiation } from './render.ts';

type NegotiationEvent = {
  event_type: 'negotiation_started' | 'negotiation_step' | 'negotiation_ended';
  details: Record<string, unknown>;
};

export const emitNegotiation = (work: Work, caller: Caller, event: NegotiationEvent): number =>
  emitRoomEvent(work, caller, event);

type NegotiationEnding = { caller: Caller; reason?: string; at?: number };

/** Stores a state, and reports its end where this is one. */
export function saveState(
  work: Work,
  { row, state }: OpenedNegotiation,
  ending?: NegotiationEnding,
): OpenedNegotiation {
  const { tx, account_id, now } = work;
  const { status, round, proposed_by } = state;
  const { negotiation_id } = row;
  const isEnd = row.status === 'open' && status !== 'open';
  const ended_at = isEnd ? (ending?.at ?? now) : row.ended_at;
  const saved = { ...row, status, round, proposed_by, updated_at: now, ended_at };
  if (isEnd && ending) {
    const { caller, reason = '' } = ending;
    emitNegotiation(work, caller, {
      event_type: 'negotiation_ended',
      details: { negotiation_id, status, round, reason },
    });
  }
  work.send(tx.insertMany(queries.upsertNegotiations, [saved]));
  const participants = state.participants.map(({ agent_id, answer, has_left }) => ({
    ...{ account_id, negotiation_id, agent_id, answer, has_left: Number(has_left) },
  }));
  work.send(tx.insertMany(queries.upsertParticipants, participants));
  return { row: saved, state };
}
