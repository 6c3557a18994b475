import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { newAccount } from '../../../tests/contract/table.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const OTHER = '00000000-0000-0000-0000-00000000000b';
const planner = { agent_id: 'agent/planner' };
const tester = { agent_id: 'agent/tester' };
const outsider = { agent_id: 'agent/planner', account_id: OTHER };

describe.each(backends)('rooms on %s', (backend) => {
  const open = async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await newAccount(app, OTHER);
    return app;
  };
  const made = async (app: TestApp) => app.call('rooms.create', { name: 'Release planning', label: 'crew' }, planner);
  const write = (app: TestApp, room_id: string, as: object) =>
    app.call('entries.write', { entity_path: `@${room_id}/plan`, key: 'date', value: 'friday' }, as);

  it('are made, listed, joined and left', async () => {
    const app = await open();
    const room = await made(app);
    expect(room).toMatchObject({ name: 'Release planning', label: 'crew', role: 'owner', account_count: 1 });
    expect(room.room_id).toMatch(/^release-planning-[a-z0-9]{6}$/);
    const { room_id } = room;
    expect(await app.call('rooms.list', {})).toMatchObject({ rooms: [{ room_id, label: 'crew', role: 'owner' }] });
    expect(await app.call('rooms.read', { room_id }, tester)).toMatchObject({ joined: false, agent_count: 1 });
    const membership = { room_id, agent: 'agent/tester@crew', label: 'crew' };
    expect(await app.call('rooms.join', { room_id }, tester)).toEqual({ ...membership, joined: true });
    expect(await app.call('rooms.join', { room_id }, tester)).toEqual({ ...membership, joined: true });
    const read = await app.call('rooms.read', { room_id }, tester);
    expect(read).toMatchObject({ joined: true, agent_count: 2, accounts: [{ label: 'crew', agent_count: 2 }] });
    const after = (read.last_seq as number) - 1;
    const { events } = await app.call('rooms.updates', { room_id, after }, tester);
    expect(events).toMatchObject([{ event_type: 'room_agent_joined', agent_id: 'agent/tester@crew' }]);
    expect(await app.call('rooms.leave', { room_id, ...tester })).toEqual({ ...membership, joined: false });
    expect(await app.call('rooms.leave', { room_id, ...tester })).toEqual({ ...membership, joined: false });
    const seen = await app.call('rooms.read', { room_id }, tester);
    expect(seen).toMatchObject({ joined: false, agent_count: 1, last_seq: null });
  });

  it('are made once by a call that is repeated', async () => {
    const app = await open();
    const once = { ...planner, idempotency_key: 'once' };
    const make = () => app.call('rooms.create', { name: 'Release planning' }, once);
    expect(await make()).toEqual(await make());
    expect((await app.call('rooms.list', {})).rooms).toHaveLength(1);
  });

  it('hold entries that those who joined write, read, list and find', async () => {
    const app = await open();
    const { room_id } = await made(app);
    const entry = { entity_path: `@${room_id}/plan`, key: 'date' };
    expect(await write(app, room_id, planner)).toMatchObject({
      ...entry,
      provenance: { agent_id: 'agent/planner@crew' },
    });
    await app.call('rooms.join', { room_id }, tester);
    expect(await app.call('entries.read', entry, tester)).toMatchObject({ ...entry, value: 'friday' });
    const all = { entity_path: `@${room_id}/**` };
    expect(await app.call('entries.list', all, tester)).toMatchObject({ entries: [entry] });
    expect(await app.call('entries.search', { ...all, query: 'friday' }, tester)).toMatchObject({ entries: [entry] });
    expect(await app.call('entries.history', entry, tester)).toMatchObject({ version_count: 1 });
    const own = { ...all, agent_id: 'agent/planner' };
    expect(await app.call('entries.list', own, planner)).toMatchObject({ entries: [entry] });
    const commit = { writes: [{ ...entry, value: 'monday' }], agent_id: 'agent/tester' };
    expect(await app.call('commits.create', commit)).toMatchObject({ author_agent_id: 'agent/tester@crew' });
    await app.call('entries.delete', entry, tester);
    expect(await app.call('entries.list', all, tester)).toMatchObject({ entries: [] });
  });

  it('keep what is private to an agent', async () => {
    const app = await open();
    const { room_id } = await made(app);
    await app.call('rooms.join', { room_id }, tester);
    const draft = { entity_path: `@${room_id}/notes`, key: 'doubt' };
    await app.call('entries.write', { ...draft, value: 'too early', shared: false }, planner);
    expect(await refusal(app.call('entries.read', draft, tester))).toMatchObject({ code: 'not_found' });
    expect(await app.call('entries.read', draft, planner)).toMatchObject({ value: 'too early' });
  });

  it('show nothing to reads that do not name them', async () => {
    const app = await open();
    const { room_id } = await made(app);
    await write(app, room_id, planner);
    expect((await app.call('entries.list', {}, planner)).entries).toEqual([]);
    expect((await app.call('entries.search', { query: 'friday' }, planner)).entries).toEqual([]);
    expect((await app.call('entities.list', {}, planner)).entities).toEqual([]);
  });

  it('answer another account as if they were not there', async () => {
    const app = await open();
    const { room_id } = await made(app);
    await write(app, room_id, planner);
    const unknown = 'release-planning-000000';
    const say = async (asked: (room: string) => Promise<unknown>) => {
      const [there, nowhere] = [await refusal(asked(room_id)), await refusal(asked(unknown))];
      expect(there.code).toBe('room_not_found');
      expect(JSON.parse(JSON.stringify(there).replaceAll(room_id, unknown))).toEqual(nowhere);
    };
    await say((room) => write(app, room, outsider));
    await say((room) => app.call('entries.list', { entity_path: `@${room}/**` }, outsider));
    await say((room) => app.call('entries.read', { entity_path: `@${room}/plan`, key: 'date' }, outsider));
    await say((room) => app.call('entries.search', { entity_path: `@${room}/**`, query: 'friday' }, outsider));
    await say((room) => app.call('rooms.read', { room_id: room }, outsider));
    await say((room) => app.call('rooms.join', { room_id: room }, outsider));
    await say((room) => app.call('rooms.leave', { room_id: room, agent_id: 'agent/planner' }, outsider));
    expect(await app.call('rooms.list', {}, outsider)).toMatchObject({ rooms: [] });
  });

  it('refuse agents of their own accounts that have not joined, or have left', async () => {
    const app = await open();
    const { room_id } = await made(app);
    const refused = { code: 'forbidden', needs: 'join', room_id };
    expect(await refusal(write(app, room_id, tester))).toMatchObject(refused);
    const named = { entity_path: `@${room_id}/plan`, key: 'date', value: 1, agent_id: 'agent/tester' };
    expect(await refusal(app.call('entries.write', named, planner))).toMatchObject(refused);
    await app.call('rooms.join', { room_id }, tester);
    await write(app, room_id, tester);
    await app.call('rooms.leave', { room_id, ...tester });
    expect(await refusal(write(app, room_id, tester))).toMatchObject(refused);
    const list = app.call('entries.list', { entity_path: `@${room_id}/**` }, tester);
    expect(await refusal(list)).toMatchObject(refused);
  });

  it('have nothing after an agent left that it wrote at the same time', async () => {
    const app = await open();
    const { room_id } = await made(app);
    await app.call('rooms.join', { room_id }, tester);
    const at = (key: string) =>
      app.call('entries.write', { entity_path: `@${room_id}/plan`, key, value: 1 }, tester).then(
        ({ seq }) => seq,
        () => 0,
      );
    const before = ['a', 'b', 'c'].map(at);
    const leaving = app.call('rooms.leave', { room_id, ...tester });
    const after = ['d', 'e', 'f'].map(at);
    await leaving;
    const seqs = await Promise.all([...before, ...after]);
    const { events } = await app.call('log.list', { types: ['room_agent_left'] }, { account_id: `room:${room_id}` });
    const left = events[0]?.seq ?? 0;
    for (const seq of seqs) expect(seq).toBeLessThan(left);
  });

  it('refuse what works at no path of a room, and paths of several places', async () => {
    const app = await open();
    const { room_id } = await made(app);
    const path = `@${room_id}/plan`;
    const draft = (entity_path: string) => ({ entity_path, key: 'date', value: 1 });
    const calls = [
      app.call('commits.create', { writes: [draft(path), draft('plan')] }, planner),
      app.call('commits.create', { writes: [draft(path), draft('@other-000000/plan')] }, planner),
      app.call('entries.erase', { entity_path: path, key: 'date' } as never, planner),
      app.call('log.stream', { entity_path: `@${room_id}/**` } as never, planner),
    ];
    for (const call of calls) expect(await refusal(call)).toMatchObject({ code: 'invalid_input' });
    const outcome = { outcome_ref: 'deploy-1', outcome_type: 'success' };
    for (const cause of [{ entity_path: path, key: 'date' }, `${path}/date`])
      for (const causes of [{ causal_entry_keys: [cause] }, { attempts: [{ causal_entry_keys: [cause] }] }])
        expect(await refusal(app.call('outcomes.commit', { ...outcome, ...causes } as never, planner))).toMatchObject({
          code: 'invalid_input',
          detail: `entity_path: ${path}: outcomes.commit does not work at paths of rooms`,
        });
  });

  it('report who joined and left on the log of the account, once', async () => {
    const app = await open();
    const { room_id } = await made(app);
    await app.call('rooms.join', { room_id }, tester);
    await app.call('rooms.leave', { room_id, ...tester });
    await caughtUp(app);
    const { events } = await app.call('log.list', {});
    expect(events.map(({ event_type, agent_id }) => `${event_type} ${agent_id}`).toSorted()).toEqual([
      'room_account_joined agent/planner',
      'room_agent_joined agent/planner',
      'room_agent_joined agent/tester',
      'room_agent_left agent/tester',
    ]);
  });
});
