import type { negotiationShapes } from '@mem-service/server/module';

export type NegotiationAnswer = 'accept' | 'reject' | 'abstain';

export type Participant = {
  agent_id: string;
  /** To the newest proposal; null where it gave none. */
  answer: NegotiationAnswer | null;
  /** It left the room: it counts as abstaining, also if it comes back. */
  has_left: boolean;
};

/** All that decides how a negotiation goes on. */
export type NegotiationState = {
  status: negotiationShapes.NegotiationStatus;
  /** From 1; each counter-proposal begins the next. */
  round: number;
  max_rounds: number;
  deadline_at: number | null;
  /** Whose the newest proposal is; null before the first. */
  proposed_by: string | null;
  participants: readonly Participant[];
};

export type NegotiationStep = {
  agent_id: string;
  action: negotiationShapes.NegotiationAction;
  /** Of the proposal that the agent answers; any where it does not say. */
  round?: number | undefined;
};

/** Why a step cannot be taken. */
export type RefusedStep = { code: 'conflict' | 'forbidden'; message: string };

/** The state once a time has come. */
export const stateAt = <S extends NegotiationState>(state: S, now: number): S =>
  state.status === 'open' && state.deadline_at !== null && state.deadline_at <= now
    ? { ...state, status: 'timed_out' }
    : state;

/** Those whose answer to the newest proposal is awaited. */
export const waitingFor = ({ status, proposed_by, participants }: NegotiationState): string[] =>
  status !== 'open' || proposed_by === null
    ? []
    : participants
        .filter(({ agent_id, answer, has_left }) => agent_id !== proposed_by && answer === null && !has_left)
        .map(({ agent_id }) => agent_id);

/** The state after a step, or why it cannot be taken at this time. */
export function takeStep<S extends NegotiationState>(
  before: S,
  step: NegotiationStep,
  now: number,
): { state: S } | { refused: RefusedStep } {
  const state = stateAt(before, now);
  const refused = refusalOf(state, step);
  if (refused) return { refused };
  const { agent_id, action } = step;
  if (action === 'propose') return { state: decided(withProposal(state, agent_id)) };
  if (action === 'counter') {
    if (state.round >= state.max_rounds) return { state: { ...state, status: 'timed_out' } };
    return { state: decided({ ...withProposal(state, agent_id), round: state.round + 1 }) };
  }
  const participants = state.participants.map((one) => (one.agent_id === agent_id ? { ...one, answer: action } : one));
  return { state: decided({ ...state, participants }) };
}

/** The state after agents left the room at a time. */
export function withoutAgents<S extends NegotiationState>(before: S, gone: ReadonlySet<string>, now: number): S {
  const state = stateAt(before, now);
  if (state.status !== 'open') return state;
  const participants = state.participants.map((one) => (gone.has(one.agent_id) ? { ...one, has_left: true } : one));
  return decided({ ...state, participants });
}

const conflict = (message: string): RefusedStep => ({ code: 'conflict', message });

function refusalOf(state: NegotiationState, { agent_id, action, round }: NegotiationStep): RefusedStep | undefined {
  const own = state.participants.find((one) => one.agent_id === agent_id);
  if (!own || own.has_left)
    return { code: 'forbidden', message: `${agent_id} takes no part in this negotiation${own ? ' any more' : ''}` };
  if (state.status !== 'open') return conflict(`the negotiation is over: ${state.status}`);
  if (action === 'propose')
    return state.proposed_by === null ? undefined : conflict('there is a proposal already: answer it, or counter it');
  if (state.proposed_by === null) return conflict(`there is no proposal yet to ${action}`);
  if (round !== undefined && round !== state.round)
    return conflict(`the newest proposal is that of round ${state.round}, not ${round}: answer it by its round`);
  if (action !== 'counter' && state.proposed_by === agent_id)
    return conflict('the newest proposal is your own: others answer it');
  return undefined;
}

const withProposal = <S extends NegotiationState>(state: S, proposed_by: string): S => ({
  ...state,
  proposed_by,
  participants: state.participants.map((one) => ({ ...one, answer: null })),
});

/** Agreed or rejected once nobody's answer is awaited, and rejected when fewer than two are left. */
function decided<S extends NegotiationState>(state: S): S {
  const { proposed_by, participants } = state;
  const present = participants.filter(({ has_left }) => !has_left);
  const others = present.filter(({ agent_id }) => agent_id !== proposed_by);
  const isAnswered = proposed_by !== null && others.every(({ answer }) => answer !== null);
  if (!isAnswered) return present.length < 2 ? { ...state, status: 'rejected' } : state;
  const isAgreed =
    others.some(({ answer }) => answer === 'accept') && others.every(({ answer }) => answer !== 'reject');
  return { ...state, status: isAgreed ? 'agreed' : 'rejected' };
}
