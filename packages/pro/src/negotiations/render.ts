import { Fault, JsonText, type Output, type Query, toIso, toIsoOrNull } from '@mem-service/server/module';
import * as queries from './queries.ts';
import { type NegotiationState, stateAt, waitingFor } from './rules/state.ts';

export type Negotiation = Output<'negotiations.create'>;
type ListedNegotiation = Output<'negotiations.list'>['negotiations'][number];
type RenderedStep = Output<'negotiations.read'>['steps'][number];

/** A negotiation as it is stored, and what decides how it goes on. */
export type OpenedNegotiation = { row: queries.NegotiationRow; state: NegotiationState };

export async function loadNegotiation(query: Query, accountId: string, id: string): Promise<OpenedNegotiation> {
  const [row, participants] = await Promise.all([
    queries.getNegotiation(query, accountId, id),
    queries.listParticipants(query, accountId, id),
  ]);
  if (!row) throw new Fault('not_found', `there is no negotiation ${id}`, { negotiation_id: id });
  return { row, state: stateOf(row, participants) };
}

export const stateOf = (
  { status, round, max_rounds, deadline_at, proposed_by }: queries.NegotiationRow,
  participants: readonly queries.ParticipantRow[],
): NegotiationState => ({
  ...{ status: status as NegotiationState['status'], round, max_rounds, deadline_at, proposed_by },
  participants: participants.map(({ agent_id, answer, has_left }) => ({
    agent_id,
    answer: answer as NegotiationState['participants'][number]['answer'],
    has_left: has_left === 1,
  })),
});

/** As it stands at a time: one whose time is over has ended then, also before that is noted. */
export function toListed(
  row: queries.NegotiationRow,
  { room_id, now }: { room_id: string; now: number },
): ListedNegotiation {
  const { status } = stateAt(stateOf(row, []), now);
  const ended = status === row.status ? row.ended_at : row.deadline_at;
  return {
    ...{ negotiation_id: row.negotiation_id, room_id, title: row.title, status },
    ...{ round: row.round, max_rounds: row.max_rounds, deadline_at: toIsoOrNull(row.deadline_at) },
    ...{ participant_count: row.participant_count, agent: row.agent_id },
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
    ended_at: toIsoOrNull(ended),
  };
}

export const toStep = (row: queries.StepRow): RenderedStep => ({
  ...{ no: row.no, round: row.round, agent: row.agent_id },
  action: row.action as RenderedStep['action'],
  proposal: row.proposal === null ? null : new JsonText(row.proposal),
  rationale: row.rationale,
  created_at: toIso(row.created_at),
});

type Seen = { room_id: string; now: number; proposal: queries.StepRow | undefined };

export function toNegotiation({ row, state }: OpenedNegotiation, { room_id, now, proposal }: Seen): Negotiation {
  const then = stateAt(state, now);
  return {
    ...toListed(row, { room_id, now }),
    description: row.description,
    proposal: proposal ? toStep(proposal) : null,
    participants: then.participants.map(({ agent_id: agent, ...rest }) => ({ agent, ...rest })),
    waiting_for: waitingFor(then),
  };
}
