import {
  bytesOfTexts,
  type Caller,
  changed,
  Fault,
  type Handlers,
  hashedBy,
  type Input,
  invalidInput,
  negotiationShapes,
  type RoomMember,
  roomShapes,
  storeMore,
  toIso,
  type Work,
  writes,
} from '@mem-service/server/module';
import { findAgentNames, listAgentNames, noAgent } from '../rooms/index.ts';
import { dropEnded } from './drop-ended.ts';
import * as queries from './queries.ts';
import { loadNegotiation, type OpenedNegotiation, toNegotiation, toStep } from './render.ts';
import { type RefusedStep, stateAt, takeStep } from './rules/state.ts';
import { emitNegotiation, saveState } from './save.ts';

const { MAX_PARTICIPANTS, MAX_PROPOSAL_BYTES } = negotiationShapes;
/** Each is looked at when an agent leaves the room. */
const MAX_OPEN = 50;
/** Begun by an account that does not own the room. */
const MAX_OPEN_OF_ACCOUNT = 20;
/** Of one negotiation, with answers that were changed. */
const MAX_STEPS = 500;

const roomOf = ({ room }: Caller): RoomMember => room as RoomMember;

/** Those who are named, or all in the room, and who begins it. */
async function participantsOf(
  work: Work,
  { participants }: Input<'negotiations.create'>,
  caller: Caller,
): Promise<string[]> {
  const { tx, account_id, dialect } = work;
  const named = new Set([caller.agent_id, ...(participants ?? [])]);
  const present = participants
    ? await findAgentNames(tx, account_id, dialect.texts([...named]))
    : await listAgentNames(tx, account_id, MAX_PARTICIPANTS + 1);
  const missing = participants?.find((agent_id) => !present.includes(agent_id));
  if (missing !== undefined) throw noAgent(missing);
  if (present.length > MAX_PARTICIPANTS)
    throw new Fault('conflict', `at most ${MAX_PARTICIPANTS} agents take part: name those who shall`, {
      max_participants: MAX_PARTICIPANTS,
    });
  if (present.length < 2) throw new Fault('conflict', needsAnother(participants !== undefined));
  return present;
}

const needsAnother = (isNamed: boolean): string =>
  isNamed
    ? 'a negotiation needs two agents: name one besides the agent that begins it'
    : 'a negotiation needs two agents: nobody else has joined the room yet';

async function refuseTooManyOpen({ tx, account_id }: Work, caller: Caller): Promise<void> {
  const open = await queries.listOpenBeginners(tx, account_id);
  if (open.length >= MAX_OPEN)
    throw new Fault('conflict', `a room has at most ${MAX_OPEN} open negotiations`, { max_open: MAX_OPEN });
  const { role, label } = roomOf(caller);
  if (role === 'owner') return;
  const own = open.filter((agent_id) => agent_id.endsWith(roomShapes.ROOM_SIGN + label));
  if (own.length >= MAX_OPEN_OF_ACCOUNT)
    throw new Fault(
      'conflict',
      `an account has at most ${MAX_OPEN_OF_ACCOUNT} open negotiations in a room of another`,
      {
        max_open_of_account: MAX_OPEN_OF_ACCOUNT,
      },
    );
}

const create = writes<'negotiations.create'>(async (work, { input, caller }) => {
  const { account_id, now } = work;
  await refuseTooManyOpen(work, caller);
  const agents = await participantsOf(work, input, caller);
  const { title, description, max_rounds, timeout_seconds } = input;
  const negotiation_id = work.services.ids.next(now);
  const deadline_at = timeout_seconds === undefined ? null : now + timeout_seconds * 1000;
  const created_seq = emitNegotiation(work, caller, {
    event_type: 'negotiation_started',
    details: {
      ...{ negotiation_id, title, max_rounds, participants: agents },
      deadline_at: deadline_at === null ? null : toIso(deadline_at),
    },
  });
  const { agent_id } = caller;
  const row: queries.NegotiationRow = {
    ...{ account_id, negotiation_id, title, description, status: 'open', round: 1, max_rounds, deadline_at },
    ...{ proposed_by: null, proposal_no: 0, step_count: 0, participant_count: agents.length, agent_id },
    ...{ created_seq, created_at: now, updated_at: now, ended_at: null },
  };
  storeMore(work, bytesOfTexts([title, description]));
  const state = {
    ...{ status: 'open' as const, round: 1, max_rounds, deadline_at, proposed_by: null },
    participants: agents.map((one) => ({ agent_id: one, answer: null, has_left: false })),
  };
  saveState(work, { row, state });
  await dropEnded(work);
  return answered(work, caller, { row, state });
});

type SavedNegotiation = OpenedNegotiation & { proposal?: queries.StepRow };

async function answered(work: Work, caller: Caller, { proposal, ...opened }: SavedNegotiation) {
  const { room_id } = roomOf(caller);
  const newest = proposal ?? (await newestProposal(work, opened.row));
  const answer = toNegotiation(opened, { room_id, now: work.now, proposal: newest });
  return changed(answer, { resource: opened.row.negotiation_id, ...hashedBy(answer) });
}

const newestProposal = async (
  { tx, account_id }: Work,
  { negotiation_id, proposal_no: no }: queries.NegotiationRow,
): Promise<queries.StepRow | undefined> =>
  no === 0 ? undefined : queries.getStep(tx, account_id, { negotiation_id, no });

/** Shows the newest proposal, which the agent may not have seen. */
async function refusedStep(work: Work, row: queries.NegotiationRow, { code, message }: RefusedStep): Promise<Fault> {
  const { negotiation_id, round } = row;
  if (code !== 'conflict') return new Fault(code, message, { negotiation_id });
  const newest = await newestProposal(work, row);
  return new Fault(code, message, { negotiation_id, round, proposal: newest ? toStep(newest) : null });
}

const isProposal = (action: string): boolean => action === 'propose' || action === 'counter';

/** The proposal as JSON; null for an answer. */
function proposalIn({ action, proposal }: Input<'negotiations.propose'>): string | null {
  if (!isProposal(action)) {
    if (proposal === undefined) return null;
    throw invalidInput([{ path: 'proposal', message: `is not for ${action}: counter proposes something else` }]);
  }
  if (proposal === undefined) throw invalidInput([{ path: 'proposal', message: `is needed to ${action}` }]);
  const { text } = proposal;
  if (Buffer.byteLength(text) <= MAX_PROPOSAL_BYTES) return text;
  throw invalidInput([{ path: 'proposal', message: `has more than ${MAX_PROPOSAL_BYTES} bytes as JSON` }]);
}

const propose = writes<'negotiations.propose'>(async (work, { input, caller }) => {
  const { tx, account_id, now } = work;
  const { negotiation_id, action, rationale } = input;
  const proposal = proposalIn(input);
  const { row, state } = await loadNegotiation(tx, account_id, negotiation_id);
  const taken = takeStep(state, { agent_id: caller.agent_id, action, round: input.round }, now);
  if ('refused' in taken) throw await refusedStep(work, row, taken.refused);
  if (row.step_count >= MAX_STEPS)
    throw new Fault('conflict', `the negotiation has ${MAX_STEPS} steps, and can have no more`, {
      max_steps: MAX_STEPS,
    });
  const no = row.step_count + 1;
  const { round } = taken.state;
  const { agent_id } = caller;
  const step = { account_id, negotiation_id, no, round, agent_id, action, proposal, rationale, created_at: now };
  emitNegotiation(work, caller, {
    event_type: 'negotiation_step',
    details: { negotiation_id, action, round, proposal: proposal === null ? null : JSON.parse(proposal), rationale },
  });
  storeMore(work, bytesOfTexts([proposal ?? '', rationale]));
  work.send(tx.insertMany(queries.insertSteps, [step]));
  // The counter-proposal after the last round is a step, and not what was negotiated.
  const isNewest = isProposal(action) && taken.state.status !== 'timed_out';
  const after = { ...row, step_count: no, proposal_no: isNewest ? no : row.proposal_no };
  const saved = saveState(work, { row: after, state: taken.state }, { caller });
  return answered(work, caller, isNewest ? { ...saved, proposal: step } : saved);
});

const cancel = writes<'negotiations.cancel'>(async (work, { input, caller }) => {
  const { tx, account_id, now } = work;
  const { negotiation_id, reason } = input;
  const { row, state } = await loadNegotiation(tx, account_id, negotiation_id);
  if (row.agent_id !== caller.agent_id && roomOf(caller).role !== 'owner')
    throw new Fault('forbidden', 'who began a negotiation cancels it, or the account that owns the room', {
      negotiation_id,
    });
  const { status } = stateAt(state, now);
  if (status !== 'open') throw new Fault('conflict', `the negotiation is over: ${status}`, { negotiation_id });
  const saved = saveState(work, { row, state: { ...state, status: 'cancelled' } }, { caller, reason });
  return answered(work, caller, saved);
});

export const changeHandlers: Handlers = {
  'negotiations.create': create,
  'negotiations.propose': propose,
  'negotiations.cancel': cancel,
};
