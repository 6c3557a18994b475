import * as z from 'zod';
import * as n from '../negotiation-shapes.ts';
import { operation } from '../operation.ts';
import * as r from '../room-shapes.ts';
import * as s from '../shapes.ts';

const example = { room_id: 'release-planning-k3x9q2', negotiation_id: '01K9Z3V8M6T2Q4X7N5B1C0D9EF' };
const actingAgent = s.agentId.optional().meta({ description: 'The agent; by default that of the request.' });
const at = { room_id: r.roomId, negotiation_id: n.negotiationId };
const errors = ['room_not_found', 'not_found', 'forbidden', 'module_not_installed'] as const;
/** What to try where a negotiation is not found. */
const ONGOING = 'mem_room_info, which lists the open negotiations';
const rationale = s.text(4096).default('').meta({ description: 'Why, in words for the others.' });

/** A negotiation is in a room, and seen by all agents that have joined it. */
const about = { module: 'negotiations', in_room: 'agent' } as const;

export const negotiations = {
  'negotiations.create': operation({
    summary: 'Begin a negotiation in a room',
    description:
      'Those who take part are the agents that are named, or all that have joined the room, and always who begins it. It is agreed when all but ' +
      'who made the newest proposal accept it or abstain, and at least one accepts.',
    ...about,
    effect: 'write',
    cost: 2,
    open_to_all: true,
    http: {
      method: 'POST',
      path: '/api/v1/rooms/{room_id}/negotiations',
      status: 201,
      location: '/api/v1/rooms/{room_id}/negotiations/{negotiation_id}',
    },
    cli: { args: ['room_id', 'title'], alias: 'create-negotiation', also: ['room create-negotiation'] },
    tools: [
      {
        name: 'mem_negotiate_create',
        toolset: 'rooms',
        description: 'Begin a negotiation with the agents of a room: proposals in rounds until all agree.',
        fields: ['room_id', 'title', 'description', 'participants', 'max_rounds', 'timeout_seconds'],
        about: { participants: 'As `<agent_id>@<label>`; by default all in the room' },
      },
    ],
    input: () =>
      z.strictObject({
        room_id: r.roomId,
        title: s.label(256).meta({ description: 'What is to be agreed on.', examples: ['When to release'] }),
        description: s.text(4096).default('').meta({ description: 'What everyone should know first.' }),
        participants: z.array(s.agentId).min(1).max(n.MAX_PARTICIPANTS).optional().meta({
          description: 'Agents as the room calls them, `<agent_id>@<label>`; by default all that have joined.',
        }),
        max_rounds: z.int().min(1).max(n.MAX_ROUNDS).default(10).meta({ description: 'Beyond these it times out.' }),
        timeout_seconds: z
          .int()
          .min(1)
          .max(90 * 86_400)
          .optional()
          .meta({ description: 'It times out after as long; without it, never.' }),
        agent_id: actingAgent,
      }),
    output: () => n.negotiation,
    errors: [...errors, 'conflict'],
    example: (i) => ({ room_id: example.room_id, title: i === 0 ? 'When to release' : `When to release ${i}` }),
  }),

  'negotiations.list': operation({
    summary: 'List the negotiations of a room',
    description: 'Newest first.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/rooms/{room_id}/negotiations' },
    cli: { args: ['room_id'], alias: 'negotiations', also: ['room negotiations'] },
    tools: [
      {
        name: 'mem_negotiate_list',
        toolset: 'rooms',
        description: 'List the negotiations of a room, newest first.',
        fields: ['room_id', 'status'],
        unlisted: ['limit', 'cursor'],
        limit: 20,
      },
    ],
    input: () =>
      z.strictObject({
        room_id: r.roomId,
        status: z.enum(n.negotiationStatuses).optional().meta({ description: 'Only those.' }),
        limit: s.limit,
        cursor: s.cursor,
      }),
    output: () => z.object({ negotiations: z.array(n.listedNegotiation), ...s.page }),
    errors: ['room_not_found', 'forbidden', 'invalid_cursor', 'log_rewound', 'module_not_installed'],
    example: () => ({ room_id: example.room_id }),
  }),

  'negotiations.read': operation({
    summary: 'See how a negotiation stands',
    description: 'With the newest proposal, whose answers are awaited, and all steps.',
    ...about,
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: '/api/v1/rooms/{room_id}/negotiations/{negotiation_id}' },
    cli: { args: ['room_id', 'negotiation_id'], alias: 'show-negotiation', also: ['room negotiation'] },
    tools: [
      {
        name: 'mem_negotiate_status',
        toolset: 'rooms',
        description: 'How a negotiation stands: the newest proposal, whose answers are awaited, and all steps.',
        fields: ['room_id', 'negotiation_id'],
        miss: ONGOING,
      },
    ],
    input: () => z.strictObject(at),
    output: () => n.wholeNegotiation,
    errors,
    example: () => example,
  }),

  'negotiations.propose': operation({
    summary: 'Propose something in a negotiation, or answer',
    description:
      'The first proposal is a `propose`, a later one a `counter`, which begins the next round and needs new answers. `accept`, `reject` and ' +
      '`abstain` answer the newest proposal of another agent; an answer can be changed until the last one is there. Whoever gives the ' +
      '`round` of the proposal that it answers is refused with `conflict` where there is a newer one, which the refusal shows.',
    ...about,
    effect: 'write',
    cost: 2,
    open_to_all: true,
    raw: [['proposal']],
    http: { method: 'POST', path: '/api/v1/rooms/{room_id}/negotiations/{negotiation_id}/propose' },
    cli: { args: ['room_id', 'negotiation_id', 'action'], alias: 'negotiate', also: ['room negotiate'] },
    tools: [
      {
        name: 'mem_negotiate_propose',
        toolset: 'rooms',
        description: 'Make the first proposal of a negotiation, or with action=counter the next one.',
        fields: ['room_id', 'negotiation_id', 'action', 'proposal', 'round', 'rationale'],
        about: { action: 'Default propose', proposal: 'What you propose, as JSON', round: 'Which you counter' },
        choices: { action: ['propose', 'counter'] },
        json: 'proposal',
        miss: ONGOING,
      },
      {
        name: 'mem_negotiate_respond',
        toolset: 'rooms',
        description:
          'Answer the newest proposal of a negotiation with action accept, reject or abstain. Ask the person you work for first.',
        fields: ['room_id', 'negotiation_id', 'action', 'round', 'rationale'],
        about: { action: 'Your answer', round: 'Of the proposal you answer: refused if there is a newer one' },
        choices: { action: ['accept', 'reject', 'abstain'] },
        miss: ONGOING,
      },
    ],
    input: () =>
      z.strictObject({
        ...at,
        action: z.enum(n.negotiationActions).default('propose').meta({ description: 'What to do.' }),
        proposal: s.jsonValue.optional().meta({ description: 'What is proposed: any JSON of at most 16,384 bytes.' }),
        round: z
          .int()
          .min(1)
          .max(n.MAX_ROUNDS)
          .optional()
          .meta({ description: 'The `round` of the proposal that it answers; refused where there is a newer one.' }),
        rationale,
        agent_id: actingAgent,
      }),
    output: () => n.negotiation,
    errors: [...errors, 'conflict'],
    example: () => ({
      ...example,
      action: 'propose' as const,
      proposal: { release: 'friday' },
      rationale: 'tests pass',
    }),
  }),

  'negotiations.cancel': operation({
    summary: 'Cancel a negotiation',
    description: 'By who began it, or an agent of the account that owns the room.',
    ...about,
    effect: 'write',
    cost: 2,
    open_to_all: true,
    removes: 'negotiations.create',
    http: { method: 'POST', path: '/api/v1/rooms/{room_id}/negotiations/{negotiation_id}/cancel' },
    cli: { args: ['room_id', 'negotiation_id'], alias: 'cancel-negotiation', also: ['room cancel-negotiation'] },
    tools: [
      {
        name: 'mem_negotiate_cancel',
        toolset: 'rooms',
        description: 'Cancel a negotiation that you began.',
        fields: ['room_id', 'negotiation_id', 'reason'],
      },
    ],
    input: () =>
      z.strictObject({
        ...at,
        reason: s.text(2000).default('').meta({ description: 'Why, in words for the others.' }),
        agent_id: actingAgent,
      }),
    output: () => n.negotiation,
    errors: [...errors, 'conflict'],
    example: () => example,
  }),
};
