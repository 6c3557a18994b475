import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { newAccount } from '../../../tests/contract/table.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, caller, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import { accountOfRoom, readAccount, unchanged } from '../../server/src/module.ts';
import { upsertNegotiations } from '../src/negotiations/queries.ts';
import { timeOut } from '../src/negotiations/time-out.ts';

const OTHER = '00000000-0000-0000-0000-00000000000b';
const [planner, tester, writer] = ['planner', 'tester', 'writer'].map((name) => ({ agent_id: `agent/${name}` })) as [
  ...[{ agent_id: string }, { agent_id: string }, { agent_id: string }],
];
const inRoom = ({ agent_id }: { agent_id: string }) => `${agent_id}@crew`;

describe.each(backends)('negotiations on %s', (backend) => {
  const open = async (...agents: { agent_id: string }[]) => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    const { room_id } = await app.call('rooms.create', { name: 'Release planning', label: 'crew' }, planner);
    for (const agent of agents) await app.call('rooms.join', { room_id }, agent);
    return { app, room_id };
  };
  const begin = async (app: TestApp, room_id: string, more: object = {}) => {
    const begun = await app.call('negotiations.create', { room_id, title: 'When to release', ...more }, planner);
    return { room_id, negotiation_id: begun.negotiation_id };
  };
  type NegotiationPlace = { room_id: string; negotiation_id: string };
  type HeldNegotiation = NegotiationPlace & { app: TestApp };
  const act = ({ app, ...at }: HeldNegotiation, as: object, step: object) =>
    app.call('negotiations.propose', { ...at, ...step } as never, as);
  const proposes = { action: 'propose', proposal: { release: 'friday' }, rationale: 'tests pass' };
  const logOf = async (app: TestApp, { room_id }: NegotiationPlace) => {
    const types = ['negotiation_started', 'negotiation_step', 'negotiation_ended'];
    const { events } = await app.call('log.list', { types } as never, { account_id: `room:${room_id}` });
    return events.map(({ event_type, agent_id, details }) => ({ event_type, agent_id, ...details }));
  };

  it('two agents agree on a plan, and every step is on the log of the room', async () => {
    const { app, room_id } = await open(tester);
    const at = await begin(app, room_id, { description: 'before the fair' });
    expect(await app.call('negotiations.read', at, tester)).toMatchObject({
      ...{
        ...at,
        status: 'open',
        round: 1,
        max_rounds: 10,
        deadline_at: null,
        proposal: null,
        waiting_for: [],
        steps: [],
      },
      participants: [
        { agent: inRoom(planner), answer: null },
        { agent: inRoom(tester), answer: null },
      ],
    });
    expect(await act({ app, ...at }, planner, proposes)).toMatchObject({
      ...{ status: 'open', waiting_for: [inRoom(tester)] },
      proposal: { proposal: { release: 'friday' }, agent: inRoom(planner), round: 1 },
    });
    const counter = { action: 'counter', proposal: { release: 'monday' }, rationale: 'nobody is there on saturday' };
    expect(await act({ app, ...at }, tester, counter)).toMatchObject({ round: 2, waiting_for: [inRoom(planner)] });
    const agreed = await act({ app, ...at }, planner, { action: 'accept', rationale: 'fair' });
    expect(agreed).toMatchObject({ status: 'agreed', proposal: { proposal: { release: 'monday' } }, waiting_for: [] });
    const read = await app.call('negotiations.read', at, tester);
    expect(read.steps.map(({ no, action }) => `${no} ${action}`)).toEqual(['3 accept', '2 counter', '1 propose']);
    expect(read).toMatchObject({ status: 'agreed', truncated: false });
    expect(await logOf(app, at)).toMatchObject([
      { event_type: 'negotiation_started', agent_id: inRoom(planner) },
      { action: 'propose', round: 1, proposal: { release: 'friday' }, rationale: 'tests pass' },
      { action: 'counter', round: 2, proposal: { release: 'monday' }, agent_id: inRoom(tester) },
      { action: 'accept', proposal: null, rationale: 'fair' },
      { event_type: 'negotiation_ended', status: 'agreed', round: 2 },
    ]);
    expect(await refusal(act({ app, ...at }, tester, { action: 'reject' }))).toMatchObject({ code: 'conflict' });
    const listed = await app.call('negotiations.list', { room_id, status: 'agreed' }, tester);
    expect(listed.negotiations).toMatchObject([{ ...at, title: 'When to release', participant_count: 2 }]);
    expect((await app.call('negotiations.list', { room_id, status: 'open' }, tester)).negotiations).toEqual([]);
  });

  it('are rejected when all have answered without agreeing, and time out beyond their rounds', async () => {
    const { app, room_id } = await open(tester, writer);
    const one = await begin(app, room_id);
    await act({ app, ...one }, planner, proposes);
    expect(await act({ app, ...one }, tester, { action: 'reject' })).toMatchObject({ status: 'open' });
    expect(await act({ app, ...one }, tester, { action: 'abstain' })).toMatchObject({ status: 'open' });
    expect(await act({ app, ...one }, writer, { action: 'abstain' })).toMatchObject({ status: 'rejected' });
    const two = await begin(app, room_id, { max_rounds: 1 });
    await act({ app, ...two }, planner, proposes);
    const beyond = await act({ app, ...two }, tester, { ...proposes, action: 'counter' });
    expect(beyond).toMatchObject({ status: 'timed_out', round: 1, proposal: { agent: inRoom(planner) } });
  });

  it('refuse steps out of turn, and agents that take no part', async () => {
    const { app, room_id } = await open(tester, writer);
    const at = await begin(app, room_id, { participants: [inRoom(tester)] });
    const code = async (as: object, step: object) => (await refusal(act({ app, ...at }, as, step))).code;
    expect(await code(tester, { action: 'accept' })).toBe('conflict');
    expect(await code(writer, proposes)).toBe('forbidden');
    expect(await code(planner, { action: 'propose' })).toBe('invalid_input');
    expect(await code(planner, { action: 'accept', proposal: 1 })).toBe('invalid_input');
    expect(await code(planner, { action: 'propose', proposal: 'x'.repeat(17_000) })).toBe('invalid_input');
    await act({ app, ...at }, planner, proposes);
    expect(await code(planner, { action: 'accept' })).toBe('conflict');
    expect(await code(tester, proposes)).toBe('conflict');
    expect(await code({ agent_id: 'agent/nobody' }, proposes)).toBe('forbidden');
    await newAccount(app, OTHER);
    expect(await code({ account_id: OTHER }, proposes)).toBe('room_not_found');
    expect((await app.call('negotiations.read', at, writer)).participants).toHaveLength(2);
    const single = app.call('negotiations.create', { room_id, title: 'x', participants: [inRoom(planner)] }, planner);
    expect(await refusal(single)).toMatchObject({ code: 'conflict' });
    const absent = app.call('negotiations.create', { room_id, title: 'x', participants: ['agent/b@crew'] }, planner);
    expect(await refusal(absent)).toMatchObject({ code: 'not_found', agent_id: 'agent/b@crew' });
    const unknown = { room_id, negotiation_id: 'none' };
    expect(await refusal(app.call('negotiations.read', unknown, tester))).toMatchObject({ code: 'not_found' });
  });

  it('take two replies at once one after the other', async () => {
    const { app, room_id } = await open(tester, writer);
    for (let n = 0; n < 5; n++) {
      const at = await begin(app, room_id);
      const first = await Promise.allSettled([planner, tester, writer].map((as) => act({ app, ...at }, as, proposes)));
      expect(first.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const { proposal } = await app.call('negotiations.read', at, planner);
      const others = [planner, tester, writer].filter((one) => inRoom(one) !== proposal?.agent);
      const [x, y] = others as [typeof planner, typeof planner];
      await Promise.all([
        act({ app, ...at }, x, { action: 'accept' }),
        act({ app, ...at }, y, { action: n % 2 ? 'reject' : 'accept' }),
      ]);
      const status = n % 2 ? 'rejected' : 'agreed';
      expect(await app.call('negotiations.read', at, x)).toMatchObject({ status, round: 1 });
      const ends = (await logOf(app, at)).filter(
        (one) => (one as { negotiation_id?: string }).negotiation_id === at.negotiation_id,
      );
      expect(ends.filter(({ event_type }) => event_type === 'negotiation_ended')).toHaveLength(1);
    }
  });

  it('refuse an answer to a proposal that another one has replaced, and show that one', async () => {
    const { app, room_id } = await open(tester, writer);
    for (let n = 0; n < 5; n++) {
      const at = await begin(app, room_id);
      const { round } = await act({ app, ...at }, planner, proposes);
      await act({ app, ...at }, writer, { action: 'accept', round });
      const counter = act({ app, ...at }, planner, { action: 'counter', proposal: { price: 99 }, round });
      const accept = await Promise.allSettled([counter, act({ app, ...at }, tester, { action: 'accept', round })]);
      const read = await app.call('negotiations.read', at, tester);
      if (accept[0].status === 'rejected') {
        expect(read).toMatchObject({ status: 'agreed', proposal: { proposal: { release: 'friday' } } });
        continue;
      }
      expect(read).toMatchObject({ status: 'open', round: 2, waiting_for: [inRoom(tester), inRoom(writer)] });
      for (const action of ['counter', 'accept', 'reject', 'abstain']) {
        const proposal = action === 'counter' ? { price: 1 } : undefined;
        const refused = await refusal(act({ app, ...at }, tester, { action, round, proposal }));
        expect(JSON.parse(JSON.stringify(refused))).toMatchObject({
          ...{ code: 'conflict', round: 2 },
          proposal: { round: 2, proposal: { price: 99 }, agent: inRoom(planner) },
        });
      }
      await act({ app, ...at }, writer, { action: 'accept', round: 2 });
      expect(await act({ app, ...at }, tester, { action: 'accept', round: 2 })).toMatchObject({ status: 'agreed' });
    }
  });

  it('count an agent as abstaining that left and is back at once, and not in what began later', async () => {
    const { app, room_id } = await open(tester, writer);
    const at = await begin(app, room_id);
    await act({ app, ...at }, planner, proposes);
    await app.call('rooms.leave', { room_id, ...tester });
    expect(await app.call('negotiations.read', at, planner)).toMatchObject({ waiting_for: [inRoom(writer)] });
    await app.call('rooms.join', { room_id }, tester);
    expect(await refusal(act({ app, ...at }, tester, { action: 'accept' }))).toMatchObject({ code: 'forbidden' });
    const later = await begin(app, room_id);
    const { participants } = await app.call('negotiations.read', at, planner);
    expect(participants).toMatchObject([{ has_left: false }, { agent: inRoom(tester), has_left: true }, {}]);
    const { participants: there } = await app.call('negotiations.read', later, planner);
    expect(there.map(({ has_left }) => has_left)).toEqual([false, false, false]);
  });

  it('count an agent that leaves the room as abstaining, also when it comes back', async () => {
    const { app, room_id } = await open(tester, writer);
    const at = await begin(app, room_id);
    const other = await begin(app, room_id);
    await act({ app, ...at }, planner, proposes);
    await act({ app, ...at }, tester, { action: 'accept' });
    await app.call('rooms.leave', { room_id, ...writer });
    expect(await app.call('negotiations.read', at, tester)).toMatchObject({ status: 'agreed' });
    await app.call('rooms.join', { room_id }, writer);
    expect(await refusal(act({ app, ...other }, writer, proposes))).toMatchObject({ code: 'forbidden' });
    await app.call('rooms.leave', { room_id, ...tester });
    expect(await app.call('negotiations.read', other, planner)).toMatchObject({ status: 'rejected' });
  });

  it('count all agents of an account that is removed as abstaining', async () => {
    const { app, room_id } = await open(tester);
    await newAccount(app, OTHER);
    const { token } = await app.call('rooms.invite', { room_id }, planner);
    const guest = { account_id: OTHER, agent_id: 'agent/guest' };
    await app.call('room_invitations.redeem', { token: token as string, label: 'guests' }, guest);
    await app.call('rooms.join', { room_id }, { ...guest, agent_id: 'agent/second' });
    const at = await begin(app, room_id);
    await act({ app, ...at }, planner, proposes);
    await act({ app, ...at }, tester, { action: 'accept' });
    await app.call('rooms.remove_account', { room_id, label: 'guests' }, planner);
    const read = await app.call('negotiations.read', at, tester);
    expect(read).toMatchObject({ status: 'agreed', waiting_for: [] });
    expect(read.participants.filter(({ has_left }) => has_left)).toHaveLength(2);
  });

  it('stay timed out when an agent leaves after the deadline', async () => {
    const { app, room_id } = await open(tester, writer);
    const at = await begin(app, room_id, { timeout_seconds: 60 });
    await act({ app, ...at }, planner, proposes);
    await act({ app, ...at }, tester, { action: 'accept' });
    app.clock.advance(60_000);
    await app.call('rooms.leave', { room_id, ...writer });
    await caughtUp(app);
    expect(await app.call('negotiations.read', at, planner)).toMatchObject({ status: 'timed_out' });
    await timeOut.run(app.kernel, () => false);
    expect((await logOf(app, at)).at(-1)).toMatchObject({ event_type: 'negotiation_ended', status: 'timed_out' });
  });

  it('end at their deadline, for readers at once and on the log by maintenance', async () => {
    const { app, room_id } = await open(tester);
    const at = await begin(app, room_id, { timeout_seconds: 60 });
    await act({ app, ...at }, planner, proposes);
    app.clock.advance(60_000);
    const late = await app.call('negotiations.read', at, tester);
    expect(late).toMatchObject({ status: 'timed_out', waiting_for: [] });
    expect(late.ended_at).toBe(late.deadline_at);
    expect(await refusal(act({ app, ...at }, tester, { action: 'accept' }))).toMatchObject({ code: 'conflict' });
    const listed = await app.call('negotiations.list', { room_id, status: 'timed_out' }, tester);
    expect(listed.negotiations).toHaveLength(1);
    for (let n = 0; n < 2; n++) await timeOut.run(app.kernel, () => false);
    expect(await logOf(app, at)).toMatchObject([
      { event_type: 'negotiation_started', deadline_at: late.deadline_at },
      {},
      { event_type: 'negotiation_ended', status: 'timed_out' },
    ]);
    expect(await app.call('negotiations.read', at, tester)).toEqual({ ...late, updated_at: expect.any(String) });
  });

  it('are cancelled by who began them, or the owner of the room', async () => {
    const { app, room_id } = await open(tester);
    const at = await begin(app, room_id);
    const cancelled = await app.call('negotiations.cancel', { ...at, reason: 'no longer needed' }, planner);
    expect(cancelled).toMatchObject({ status: 'cancelled' });
    expect(await refusal(app.call('negotiations.cancel', at, planner))).toMatchObject({ code: 'conflict' });
    expect(await logOf(app, at)).toMatchObject([{}, { status: 'cancelled', reason: 'no longer needed' }]);
  });

  it('that are open are bounded for a room, and for each account that does not own it', async () => {
    const { app, room_id } = await open();
    const { token } = await app.call('rooms.invite', { room_id }, planner);
    await newAccount(app, OTHER);
    const guest = { ...tester, account_id: OTHER };
    await app.call('room_invitations.redeem', { token: token as string, label: 'guests' }, guest);
    const beginAs = (as: object) => app.call('negotiations.create', { room_id, title: 'When to release' }, as);
    const begun = [];
    for (let n = 0; n < 20; n++) begun.push(await beginAs(guest));
    expect(await refusal(beginAs(guest))).toMatchObject({ code: 'conflict', max_open_of_account: 20 });
    for (let n = 0; n < 30; n++) await beginAs(planner);
    expect(await refusal(beginAs(planner))).toMatchObject({ code: 'conflict', max_open: 50 });
    const { negotiation_id } = begun[0] as NegotiationPlace;
    await app.call('negotiations.cancel', { room_id, negotiation_id }, guest);
    await beginAs(guest);
  });

  it('that are over are kept up to a bound, and make room for new ones', async () => {
    const { app, room_id } = await open(tester);
    const account_id = accountOfRoom(room_id);
    const { read } = app.kernel.services.database.forAccount(account_id);
    const stored = async () => (await readAccount(read, account_id))?.storage_bytes;
    const first = await begin(app, room_id, { description: 'before the fair' });
    await act({ app, ...first }, planner, proposes);
    const longest = await begin(app, room_id);
    const before = await stored();
    await app.call('negotiations.cancel', first, planner);
    app.clock.advance(1000);
    await app.kernel.work(caller({ account_id }), 'negotiations.create', async ({ tx, now }) => {
      const rows = Array.from({ length: 999 }, (_, n) => ({
        ...{ account_id, negotiation_id: `over-${n}`, title: '', description: '', status: 'cancelled', round: 1 },
        ...{ max_rounds: 10, deadline_at: null, proposed_by: null, proposal_no: 0, step_count: 0 },
        ...{ participant_count: 0, agent_id: inRoom(tester), created_seq: -n },
        ...{ created_at: now, updated_at: now, ended_at: now + n },
      }));
      await tx.insertMany(upsertNegotiations, rows);
      return unchanged({});
    });
    await begin(app, room_id);
    await app.call('negotiations.read', first, tester);
    await app.call('negotiations.cancel', longest, planner);
    app.clock.advance(1000);
    await begin(app, room_id);
    expect(await refusal(app.call('negotiations.read', first, tester))).toMatchObject({ code: 'not_found' });
    for (const kept of ['over-0', longest.negotiation_id])
      await app.call('negotiations.read', { room_id, negotiation_id: kept }, tester);
    const steps = (await logOf(app, first)).filter((one) => JSON.stringify(one).includes(first.negotiation_id));
    expect(steps).toMatchObject([{}, { action: 'propose' }, { status: 'cancelled' }]);
    const bytes = (texts: readonly string[]) => texts.join('').length;
    const dropped = bytes(['When to release', 'before the fair', '{"release":"friday"}', 'tests pass']);
    expect(await stored()).toBe(Number(before) + 2 * bytes(['When to release']) - dropped);
  });
});
