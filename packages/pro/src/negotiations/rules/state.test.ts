import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type NegotiationState, stateAt, takeStep, waitingFor, withoutAgents } from './state.ts';

const AGENTS = ['a', 'b', 'c'];
const ACTIONS = ['propose', 'counter', 'accept', 'reject', 'abstain'] as const;

const begun = (agents: readonly string[], max_rounds: number, deadline_at: number | null = null): NegotiationState => ({
  ...{ status: 'open', round: 1, max_rounds, deadline_at, proposed_by: null },
  participants: agents.map((agent_id) => ({ agent_id, answer: null, has_left: false })),
});

type Move =
  | { kind: 'step'; agent: string; action: (typeof ACTIONS)[number] }
  | { kind: 'leave'; agent: string }
  | { kind: 'wait'; time: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('step' as const),
      agent: fc.constantFrom('d', ...AGENTS),
      action: fc.constantFrom(...ACTIONS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), agent: fc.constantFrom(...AGENTS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), time: fc.integer({ min: 1, max: 40 }) }) },
);

type Rules = { max_rounds: number; deadline_at: number | null };

/** Time, of which little passes by itself, runs from 0. */
const deadline = fc.option(fc.integer({ min: 1, max: 100 }));

/** What is true of a negotiation by the whole of what happened so far, read from the beginning each time. */
function modelOf(happened: readonly Move[], agents: readonly string[], { max_rounds, deadline_at }: Rules) {
  const left = new Set<string>();
  const since = new Map<string, string>();
  let by: string | null = null;
  let round = 1;
  let time = 0;
  for (const [i, one] of happened.entries()) {
    if (one.kind === 'wait') {
      time += one.time;
      if (deadline_at !== null && time >= deadline_at) return { status: 'timed_out', round, since, by, left, over: i };
    } else if (one.kind === 'leave') left.add(one.agent);
    else if (one.action === 'propose' || one.action === 'counter') {
      if (one.action === 'counter' && round === max_rounds)
        return { status: 'timed_out', round, since, by, left, over: i };
      round += one.action === 'counter' ? 1 : 0;
      by = one.agent;
      since.clear();
    } else since.set(one.agent, one.action);
    const here = agents.filter((agent) => !left.has(agent));
    const asked = here.filter((agent) => agent !== by);
    const answers = asked.map((agent) => since.get(agent));
    const isOver = by !== null && !answers.includes(undefined);
    if (isOver) {
      const isAgreed = answers.includes('accept') && !answers.includes('reject');
      return { status: isAgreed ? 'agreed' : 'rejected', round, since, by, left, over: i };
    }
    if (here.length < 2) return { status: 'rejected', round, since, by, left, over: i };
  }
  return { status: 'open', round, since, by, left, over: undefined };
}

it('every history ends as the rules in words say, and nothing happens after the end', () => {
  fc.assert(
    fc.property(
      fc.array(move, { maxLength: 25 }),
      fc.integer({ min: 1, max: 4 }),
      deadline,
      (moves, max_rounds, due) => {
        const rules = { max_rounds, deadline_at: due };
        let state = begun(AGENTS, max_rounds, due);
        let time = 0;
        const happened: Move[] = [];
        for (const one of moves) {
          const before = modelOf(happened, AGENTS, rules);
          if (one.kind === 'wait') {
            time += one.time;
            if (before.status === 'open') happened.push(one);
          } else if (one.kind === 'leave') {
            state = withoutAgents(state, new Set([one.agent]), time);
            if (before.status === 'open') happened.push(one);
          } else {
            const { agent: agent_id, action } = one;
            const isIn = AGENTS.includes(agent_id) && !before.left.has(agent_id);
            const isFree = action === 'propose' ? before.by === null : before.by !== null;
            const isOwn = before.by === agent_id && action !== 'counter';
            const isAllowed = before.status === 'open' && isIn && isFree && !isOwn;
            const after = takeStep(state, { agent_id, action }, time);
            expect('state' in after).toBe(isAllowed);
            if ('refused' in after) expect(after.refused.code).toBe(isIn ? 'conflict' : 'forbidden');
            if ('state' in after) {
              state = after.state;
              happened.push(one);
            }
          }
          const now = modelOf(happened, AGENTS, rules);
          const seen = stateAt(state, time);
          expect(seen).toMatchObject({ status: now.status, round: now.round, proposed_by: now.by });
          expect(seen.round).toBeLessThanOrEqual(max_rounds);
          if (seen.status === 'open' && seen.proposed_by !== null) expect(waitingFor(seen).length).toBeGreaterThan(0);
          if (seen.status !== 'open') expect(waitingFor(seen)).toEqual([]);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

it('two answers come to the same end in either order', () => {
  const answers = fc.constantFrom('accept' as const, 'reject' as const, 'abstain' as const);
  fc.assert(
    fc.property(answers, answers, (first, second) => {
      const proposed = takeStep(begun(AGENTS, 3), { agent_id: 'a', action: 'propose' }, 0);
      const both = (...steps: { agent_id: string; action: typeof first }[]) =>
        steps.reduce(
          (state, step) => {
            const after = takeStep(state, step, 0);
            return 'state' in after ? after.state : state;
          },
          'state' in proposed ? proposed.state : begun(AGENTS, 3),
        );
      const [b, c] = [
        { agent_id: 'b', action: first },
        { agent_id: 'c', action: second },
      ] as const;
      expect(both(b, c)).toEqual(both(c, b));
    }),
  );
});

it('the deadline ends it, and nothing after that', () => {
  const state = begun(AGENTS, 3, 1000);
  expect(stateAt(state, 999).status).toBe('open');
  const late = stateAt(state, 1000);
  expect(late.status).toBe('timed_out');
  expect(takeStep(late, { agent_id: 'a', action: 'propose' }, 1000)).toMatchObject({ refused: { code: 'conflict' } });
  const step = { agent_id: 'a', action: 'propose' } as const;
  expect(takeStep(state, step, 1000)).toMatchObject({ refused: { code: 'conflict' } });
  expect(withoutAgents(state, new Set(['a', 'b']), 1000).status).toBe('timed_out');
  expect(stateAt({ ...state, status: 'agreed' }, 5000).status).toBe('agreed');
});
