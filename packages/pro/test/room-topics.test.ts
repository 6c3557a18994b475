import { roomShapes } from '@mem-service/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { newAccount } from '../../../tests/contract/table.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import {
  type EntryDraft,
  EntrySet,
  type Glob,
  MAIN_BRANCH,
  parseGlob,
  SELF_CALLER,
  unchanged,
} from '../../server/src/module.ts';

const GUEST = '00000000-0000-0000-0000-00000000000b';
const planner = { agent_id: 'agent/planner' };
const other = { agent_id: 'agent/other' };
const guest = { agent_id: 'agent/tester', account_id: GUEST };

describe.each(backends)('topics of rooms on %s', (backend) => {
  async function open() {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await newAccount(app, GUEST);
    const { room_id } = await app.call('rooms.create', { name: 'Release planning', label: 'crew' }, planner);
    const { token } = await app.call('rooms.invite', { room_id }, planner);
    await app.call('room_invitations.redeem', { token: token as string, label: 'guests' }, guest);
    return { app, room_id, into: `@${room_id}/topics/crew` };
  }
  const write = (
    app: TestApp,
    entity_path: string,
    { as = other, ...content }: { as?: object; [field: string]: unknown },
  ) => app.call('entries.write', { entity_path, key: 'k', value: 'v', ...content }, as);
  const share = (
    app: TestApp,
    room_id: string,
    { as = planner, ...input }: { as?: object; entity_path?: string; title?: string } = {},
  ) => app.call('rooms.add_topic', { room_id, entity_path: 'checkout/**', ...input }, as);
  const code = async (answer: Promise<unknown>) => (await refusal(answer)).code;
  const valuesAt = async (app: TestApp, entity_path: string) =>
    (await app.call('entries.list', { entity_path }, guest)).entries.map(({ value }) => value).sort();

  it('bring a path with its history into the room, for everyone in it', async () => {
    const { app, room_id, into } = await open();
    const first = await write(app, 'checkout/retries', { value: 'three', confidence: 0.6 });
    app.clock.advance(86_400_000);
    await write(app, 'checkout/retries', { value: 'five', confidence: 0.9, memory_type: 'belief' });
    await write(app, 'checkout/secret', { value: 'mine', shared: false });
    await write(app, 'checkout/private-first', { value: 'was mine', shared: false });
    await write(app, 'checkout/private-first', { value: 'of all', shared: true });
    await write(app, 'checkout/gone', { value: 'gone' });
    await app.call('entries.delete', { entity_path: 'checkout/gone', key: 'k' }, other);
    await write(app, 'billing/x', { value: 'elsewhere' });
    app.clock.advance(86_400_000);
    const topic = await share(app, room_id, { title: 'How checkout works' });
    expect(topic).toMatchObject({ title: 'How checkout works', entity_path: into, shared_path: 'checkout/**' });
    expect(topic).toMatchObject({
      label: 'crew',
      agent: 'agent/planner@crew',
      entry_count: 2,
      added_versions: 3,
      left_out: 0,
    });
    const at = { entity_path: `${into}/checkout/retries`, key: 'k' };
    expect(await app.call('entries.read', at, guest)).toMatchObject({
      ...{ value: 'five', confidence: 0.9, memory_type: 'belief', shared: true, version: 2 },
      provenance: { agent_id: 'agent/planner@crew', session_id: null },
    });
    const { versions } = await app.call('entries.history', at, guest);
    expect(versions.map(({ value }) => value).sort()).toEqual(['five', 'three']);
    expect(versions.map(({ provenance }) => provenance.written_at)).toContain(first.provenance.written_at);
    expect(await valuesAt(app, `@${room_id}/**`)).toEqual(['five', 'of all']);
    expect(JSON.stringify(await app.call('rooms.updates', { room_id }, guest))).not.toMatch(/mine|agent\/other/);
    expect((await app.call('rooms.topics', { room_id }, guest)).topics).toMatchObject([{ topic_id: topic.topic_id }]);
    // Who joins later reads it as well.
    const late = { ...guest, agent_id: 'agent/late' };
    await app.call('rooms.join', { room_id }, late);
    expect(await app.call('entries.read', at, late)).toMatchObject({ value: 'five' });
  });

  it('are copies, and get what is new when they are shared again', async () => {
    const { app, room_id, into } = await open();
    await write(app, 'checkout/retries', { value: 'three' });
    const { topic_id } = await share(app, room_id, { title: 'How checkout works' });
    await write(app, 'checkout/retries', { value: 'five' });
    await write(app, 'checkout/other', { value: 'more' });
    expect(await valuesAt(app, `${into}/**`)).toEqual(['three']);
    const again = await share(app, room_id);
    expect(again).toMatchObject({ topic_id, title: 'How checkout works', entry_count: 2, added_versions: 2 });
    expect(await valuesAt(app, `${into}/**`)).toEqual(['five', 'more']);
    expect((await share(app, room_id)).added_versions).toBe(0);
    // What is deleted or hidden at home stays in the room until it is deleted there.
    await app.call('entries.delete', { entity_path: 'checkout/other', key: 'k' }, other);
    await share(app, room_id);
    expect(await valuesAt(app, `${into}/**`)).toEqual(['five', 'more']);
    const { versions } = await app.call(
      'entries.history',
      { entity_path: `${into}/checkout/retries`, key: 'k' },
      guest,
    );
    expect(versions).toHaveLength(2);
  });

  it('have each version once, also where they are shared twice at once, or again after they were removed', async () => {
    const { app, room_id, into } = await open();
    for (const value of ['three', 'four', 'five']) await write(app, 'checkout/retries', { value });
    const [one, two] = await Promise.all([share(app, room_id), share(app, room_id)]);
    expect([one.added_versions, two.added_versions].sort()).toEqual([0, 3]);
    await app.call('rooms.remove_topic', { room_id, topic_id: one.topic_id }, planner);
    expect((await share(app, room_id)).added_versions).toBe(0);
    const at = { entity_path: `${into}/checkout/retries`, key: 'k' };
    expect((await app.call('entries.history', at, guest)).versions).toHaveLength(3);
  });

  it('of two accounts with the same paths are apart', async () => {
    const { app, room_id } = await open();
    await write(app, 'checkout/retries', { value: 'of crew' });
    await write(app, 'checkout/retries', { value: 'of guests', as: guest });
    await share(app, room_id);
    await share(app, room_id, { as: guest });
    const at = (label: string) => ({ entity_path: `@${room_id}/topics/${label}/checkout/retries`, key: 'k' });
    expect((await app.call('entries.read', at('crew'), guest)).value).toBe('of crew');
    expect((await app.call('entries.read', at('guests'), planner)).value).toBe('of guests');
  });

  it('are written by sharing alone, whoever is in the room', async () => {
    const { app, room_id, into } = await open();
    await write(app, 'checkout/retries', { value: 'three' });
    const at = { entity_path: `${into}/checkout/retries`, key: 'k' };
    const written = { ...at, value: 'fake' };
    for (const as of [guest, planner]) {
      expect(await refusal(app.call('entries.write', written, as))).toMatchObject({ code: 'forbidden', room_id });
      const writes = [{ entity_path: `@${room_id}/plan`, key: 'k', value: 'mine' }, written];
      expect(await code(app.call('commits.create', { writes }, as))).toBe('forbidden');
    }
    // Nor in the place of an account that may come.
    const elsewhere = { ...written, entity_path: `@${room_id}/topics/later/x` };
    expect(await code(app.call('entries.write', elsewhere, guest))).toBe('forbidden');
    expect(await share(app, room_id)).toMatchObject({ entry_count: 1, added_versions: 1 });
    expect(await code(app.call('entries.restore', { ...at, version: 1 }, guest))).toBe('forbidden');
    expect(await code(app.call('entries.restore', { ...at, version: 1 }, planner))).toBe('forbidden');
    expect(await valuesAt(app, `@${room_id}/**`)).toEqual(['three']);
    await app.call('entries.write', { ...written, entity_path: `@${room_id}/topics` }, guest);
    await app.call('entries.write', { ...written, entity_path: 'topics/crew/x' }, guest);
  });

  it('are deleted by the account that shared them, and by the owner of the room', async () => {
    const { app, room_id } = await open();
    await write(app, 'checkout/retries', { value: 'of crew' });
    await write(app, 'checkout/retries', { value: 'of guests', as: guest });
    await write(app, 'checkout/more', { value: 'of guests', as: guest });
    await share(app, room_id);
    await share(app, room_id, { as: guest });
    const remove = (label: string, path: string, as: object) =>
      app.call('entries.delete', { entity_path: `@${room_id}/topics/${label}/checkout/${path}`, key: 'k' }, as);
    expect(await code(remove('crew', 'retries', guest))).toBe('forbidden');
    await remove('guests', 'more', guest);
    await remove('guests', 'retries', planner);
    await remove('crew', 'retries', planner);
    expect(await valuesAt(app, `@${room_id}/**`)).toEqual([]);
  });

  it('replace what another account had written in their place', async () => {
    const { app, room_id, into } = await open();
    await write(app, 'checkout/retries', { value: 'three' });
    app.clock.advance(1000);
    const account_id = `room:${room_id}`;
    await app.kernel.work({ ...SELF_CALLER, account_id }, 'test', async (work) => {
      const place = { branch: MAIN_BRANCH, entity_path: `${into}/checkout/retries`, key: 'k', shared: true };
      const draft = { ...place, agent_id: 'agent/tester@guests', session_id: null, value: '"fake"' };
      const entries = await EntrySet.load(work, [draft]);
      entries.apply(draft as EntryDraft);
      await entries.save();
      return unchanged({});
    });
    expect(await valuesAt(app, `${into}/**`)).toEqual(['fake']);
    expect(await share(app, room_id)).toMatchObject({ entry_count: 1, added_versions: 1 });
    expect(await valuesAt(app, `${into}/**`)).toEqual(['three']);
  });

  it('leave out what looks like a credential', async () => {
    const { app, room_id, into } = await open();
    await write(app, 'checkout/login', { value: { password: 'hunter2-but-long-enough' } });
    await write(app, 'checkout/retries', { value: 'three' });
    expect(await share(app, room_id)).toMatchObject({ added_versions: 1, left_out: 1, entry_count: 1 });
    expect((await app.call('rooms.topics', { room_id }, guest)).topics).toMatchObject([{ entry_count: 1 }]);
    expect(await share(app, room_id)).toMatchObject({ added_versions: 0, entry_count: 1 });
    await write(app, 'checkout/login', { value: 'the form has two steps' });
    expect(await share(app, room_id)).toMatchObject({ added_versions: 1, left_out: 0, entry_count: 2 });
    await app.call('entries.delete', { entity_path: `${into}/checkout/login`, key: 'k' }, planner);
    expect(await valuesAt(app, `${into}/**`)).toEqual(['three']);
  });

  it('are for agents that have joined, and keys that may read the path and write to the room', async () => {
    const { app, room_id } = await open();
    await write(app, 'checkout/retries', { value: 'three' });
    const keyed = (read: string[], write = read) => {
      const globs = (paths: string[]) => [paths.map((path) => parseGlob(path) as Glob)];
      return {
        ...planner,
        key: { key_id: 'k', name: 'k', type: 'agent' as const, read: globs(read), write: globs(write) },
      };
    };
    expect(await code(share(app, room_id, { as: keyed([`@${room_id}/**`]) }))).toBe('forbidden');
    expect(await code(share(app, room_id, { as: keyed(['checkout/**']) }))).toBe('forbidden');
    expect(await code(share(app, room_id, { as: keyed(['checkout/a/**', `@${room_id}/**`]) }))).toBe('forbidden');
    expect((await share(app, room_id, { as: keyed(['checkout/**', `@${room_id}/**`]) })).added_versions).toBe(1);
    expect(await code(share(app, room_id, { as: other }))).toBe('forbidden');
    await app.call('rooms.remove_account', { room_id, label: 'guests' }, planner);
    expect(await code(share(app, room_id, { as: guest }))).toBe('room_not_found');
    expect(await code(app.call('rooms.topics', { room_id }, guest))).toBe('room_not_found');
  });

  it('need something to share: not all, nothing of a room, and not too much at once', async () => {
    const { app, room_id, into } = await open();
    expect(await code(share(app, room_id))).toBe('not_found');
    expect(await code(share(app, room_id, { entity_path: '*' }))).toBe('invalid_input');
    expect(await code(share(app, room_id, { entity_path: `${into}/**` }))).toBe('invalid_input');
    const writes = Array.from({ length: roomShapes.MAX_SHARED_ENTRIES + 1 }, (_, i) => ({
      ...{ entity_path: 'checkout/many', key: `k${i}`, value: i },
    }));
    for (let from = 0; from < writes.length; from += 100)
      await app.call('commits.create', { writes: writes.slice(from, from + 100) }, other);
    const refused = await refusal(share(app, room_id));
    expect(refused).toMatchObject({ code: 'conflict', max_entries: roomShapes.MAX_SHARED_ENTRIES });
    await app.call('entries.delete', { entity_path: 'checkout/many', key: 'k0' }, other);
    expect((await share(app, room_id)).added_versions).toBe(roomShapes.MAX_SHARED_ENTRIES);
    for (let n = 0; n < roomShapes.MAX_VERSIONS_OF_SHARED + 5; n++) await write(app, 'long', { value: n });
    expect((await share(app, room_id, { entity_path: 'long' })).added_versions).toBe(roomShapes.MAX_VERSIONS_OF_SHARED);
  });

  it('are in the directory by their titles, until they are removed', async () => {
    const { app, room_id } = await open();
    await write(app, 'checkout/retries', { value: 'three' });
    await write(app, 'checkout/retries', { value: 'four', as: guest });
    await app.call('rooms.update', { room_id, discoverable: true }, planner);
    const { topic_id } = await share(app, room_id, { title: 'How checkout works' });
    const second = await share(app, room_id, { title: 'Tests of guests', as: guest });
    const found = async (q: string) => (await app.call('room_directory.list', { q }, guest)).rooms;
    expect(await found('checkout')).toMatchObject([{ topics: ['How checkout works', 'Tests of guests'] }]);
    await app.call('rooms.update', { room_id, description: 'What we ship' }, planner);
    expect(await found('checkout ship')).toHaveLength(1);
    const remove = (id: string, as: object) => app.call('rooms.remove_topic', { room_id, topic_id: id }, as);
    expect(await code(remove(topic_id, guest))).toBe('forbidden');
    await remove(topic_id, planner);
    // The owner removes those of others.
    await remove(second.topic_id, planner);
    expect(await code(remove(topic_id, planner))).toBe('not_found');
    expect(await found('checkout')).toEqual([]);
    expect((await app.call('rooms.topics', { room_id }, guest)).topics).toEqual([]);
    expect(await valuesAt(app, `@${room_id}/**`)).toEqual(['four', 'three']);
  });

  it('are on the log of the account that shared, which says what', async () => {
    const { app, room_id } = await open();
    await write(app, 'checkout/retries', { value: 'three' });
    await share(app, room_id);
    await caughtUp(app);
    const sharedIn = async (as: object) =>
      (await app.call('log.list', {}, as)).events.filter(({ event_type }) => event_type === 'room_topic_added');
    const event = { agent_id: 'agent/planner', entity_path: 'checkout', details: { room_id, label: 'crew' } };
    expect(await sharedIn(planner)).toMatchObject([event]);
    expect(await sharedIn(guest)).toEqual([]);
    // A key that may not read there does not learn of it.
    const read = [[parseGlob('billing/**') as Glob]];
    const key = { key_id: 'k', name: 'k', type: 'agent' as const, read, write: read };
    expect(await sharedIn({ ...planner, key })).toEqual([]);
  });
});
