import * as z from 'zod';
import { roomId } from './room-shapes.ts';
import * as s from './shapes.ts';

export const MAX_ROUNDS = 50;
export const MAX_PARTICIPANTS = 50;
/** Of a proposal as JSON. */
export const MAX_PROPOSAL_BYTES = 16_384;

export const negotiationStatuses = ['open', 'agreed', 'rejected', 'timed_out', 'cancelled'] as const;
export const negotiationActions = ['propose', 'counter', 'accept', 'reject', 'abstain'] as const;

export const negotiationId = s
  .label(64)
  .meta({ description: 'Which negotiation.', examples: ['01K9Z3V8M6T2Q4X7N5B1C0D9EF'] });

const agentInRoom = z.string().meta({ description: 'As the room calls it, `<agent_id>@<label>`.' });
const status = z.enum(negotiationStatuses).meta({
  description:
    '`agreed`: all others accept the newest proposal or abstain, and at least one accepts. `rejected`: all have answered, and it is not ' +
    'agreed. `timed_out`: the rounds or the time are over.',
});
const round = z.int().meta({ description: 'Each counter-proposal begins the next.' });

const fields = {
  negotiation_id: negotiationId,
  room_id: roomId,
  title: z.string(),
  status,
  round,
  max_rounds: z.int(),
  deadline_at: s.utc.nullable().meta({ description: 'When it times out; null for never.' }),
  participant_count: z.int(),
  agent: agentInRoom.meta({ description: 'Who began it, as the room calls it.' }),
  created_at: s.utc,
  updated_at: s.utc,
  ended_at: s.utc.nullable(),
};

export const listedNegotiation = z.object(fields).meta({ id: 'ListedNegotiation' });

export const participant = z
  .object({
    agent: agentInRoom,
    answer: z
      .enum(['accept', 'reject', 'abstain'])
      .nullable()
      .meta({ description: 'To the newest proposal; null where there is none.' }),
    has_left: z.boolean().meta({ description: 'It left the room, and counts as abstaining.' }),
  })
  .meta({ id: 'NegotiationParticipant' });

export const negotiationStep = z
  .object({
    no: z.int(),
    round,
    agent: agentInRoom,
    action: z.enum(negotiationActions),
    proposal: s.anyJson.meta({ description: 'What is proposed; null with an answer.' }),
    rationale: z.string(),
    created_at: s.utc,
  })
  .meta({ id: 'NegotiationStep' });

export const negotiation = z
  .object({
    ...fields,
    description: z.string(),
    proposal: negotiationStep.nullable().meta({ description: 'The newest proposal; null before the first.' }),
    participants: z.array(participant),
    waiting_for: z.array(agentInRoom).meta({ description: 'Those whose answer to it is awaited.' }),
  })
  .meta({ id: 'Negotiation', description: 'Agents of a room that look for something all can agree to.' });

export const wholeNegotiation = z
  .object({
    ...negotiation.shape,
    steps: z.array(negotiationStep).meta({ description: 'Newest first.' }),
    truncated: z.boolean().meta({ description: 'Older steps are left out.' }),
  })
  .meta({ id: 'WholeNegotiation' });

export type NegotiationStatus = (typeof negotiationStatuses)[number];
export type NegotiationAction = (typeof negotiationActions)[number];
