import { describe, expect, it, onTestFinished } from 'vitest';
import { caughtUp } from '../../../tests/briefing/caught-up.ts';
import { newAccount } from '../../../tests/contract/table.ts';
import { refusal } from '../../../tests/entries/support.ts';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';
import { accountOfRoom, type Glob, parseGlob } from '../../server/src/module.ts';
import { insertWord, upsertCard } from '../src/rooms/directory-queries.ts';

const GUEST = '00000000-0000-0000-0000-00000000000b';
const owner = { agent_id: 'agent/planner' };
const guest = { agent_id: 'agent/seeker', account_id: GUEST };

describe.each(backends)('the directory of rooms on %s', (backend) => {
  async function open() {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await newAccount(app, GUEST);
    return app;
  }
  async function make(app: TestApp, name: string, description = '') {
    const { room_id } = await app.call('rooms.create', { name, description, label: 'crew' }, owner);
    await app.call('rooms.update', { room_id, discoverable: true }, owner);
    return room_id;
  }
  const find = async (app: TestApp, input: object, as: object = guest) =>
    (await app.call('room_directory.list', input, as)).rooms.map(({ name }) => name);
  const code = async (answer: Promise<unknown>) => (await refusal(answer)).code;

  it('shows a room to others once its owner lets it be found, and hides it at once', async () => {
    const app = await open();
    const { room_id } = await app.call('rooms.create', { name: 'Release planning', label: 'crew' }, owner);
    const details = (as: object) => app.call('room_directory.read', { room_id }, as);
    expect(await find(app, {})).toEqual([]);
    expect(await code(details(guest))).toBe('room_not_found');
    expect(await code(details(owner))).toBe('room_not_found');
    await app.call('rooms.update', { room_id, discoverable: true, description: 'What we ship' }, owner);
    const card = { room_id, name: 'Release planning', description: 'What we ship', topics: [] };
    const shown = { ...card, account_count: 1, agent_count: 1, member: false };
    expect(await app.call('room_directory.list', {}, guest)).toEqual({
      rooms: [shown],
      next_cursor: null,
      has_more: false,
    });
    expect(await details(guest)).toEqual(shown);
    expect(await details(owner)).toEqual({ ...shown, member: true });
    // To be found gives no access.
    expect(await code(app.call('rooms.read', { room_id }, guest))).toBe('room_not_found');
    expect(await code(app.call('rooms.join', { room_id }, guest))).toBe('room_not_found');
    expect(await code(app.call('rooms.updates', { room_id }, guest))).toBe('room_not_found');
    expect(await code(app.call('entries.list', { entity_path: `@${room_id}/**` }, guest))).toBe('room_not_found');
    await app.call('rooms.update', { room_id, discoverable: false }, owner);
    expect(await find(app, {})).toEqual([]);
    expect(await find(app, { q: 'release' })).toEqual([]);
    const hidden = await refusal(details(guest));
    const missing = await refusal(app.call('room_directory.read', { room_id: 'never-there-aaaaaa' }, guest));
    expect(JSON.stringify(hidden).replaceAll(room_id, 'never-there-aaaaaa')).toBe(JSON.stringify(missing));
  });

  it('finds rooms by all of some words, whatever their forms', async () => {
    const app = await open();
    await make(app, 'Release planning', 'dates of the mobile app');
    await make(app, 'Release notes', 'texts');
    await make(app, 'Incidents', 'releases that went wrong');
    expect(await find(app, { q: 'RELEASES' })).toEqual(['Incidents', 'Release notes', 'Release planning']);
    expect(await find(app, { q: 'plan mobile release' })).toEqual(['Release planning']);
    expect(await find(app, { q: 'release database' })).toEqual([]);
    expect(await find(app, { q: '…' })).toEqual([]);
  });

  it('follows the name, the description and the members, and ends with the room', async () => {
    const app = await open();
    const room_id = await make(app, 'Release planning');
    await app.call('rooms.update', { room_id, name: 'Roadmap' }, owner);
    expect(await find(app, { q: 'release' })).toEqual([]);
    expect(await find(app, { q: 'roadmap' })).toEqual(['Roadmap']);
    const { token } = await app.call('rooms.invite', { room_id }, owner);
    await app.call('room_invitations.redeem', { token: token as string }, guest);
    await app.call('rooms.join', { room_id }, { agent_id: 'agent/second' });
    const read = () => app.call('room_directory.read', { room_id }, guest);
    expect(await read()).toMatchObject({ account_count: 2, agent_count: 3, member: true });
    await app.call('rooms.leave', { room_id, agent_id: 'agent/second' }, { agent_id: 'agent/second' });
    await app.call('rooms.remove_account', { room_id, label: 'home' }, owner);
    await caughtUp(app);
    expect(await read()).toMatchObject({ account_count: 1, agent_count: 1, member: false });
    await app.call('rooms.close', { room_id }, owner);
    expect(await find(app, {})).toEqual([]);
    expect(await code(read())).toBe('room_not_found');
  });

  it('comes in pages, by count and by bytes', async () => {
    const app = await open();
    for (const name of ['One', 'Two', 'Three']) await make(app, `Team ${name}`, 'x'.repeat(1500));
    const walk = async (input: object) => {
      const names: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await app.call('room_directory.list', { ...input, ...(cursor ? { cursor } : {}) }, guest);
        names.push(...page.rooms.map(({ name }) => name));
        if (page.next_cursor === null) return names;
        cursor = page.next_cursor;
      }
    };
    const all = ['Team One', 'Team Three', 'Team Two'];
    expect(await walk({ limit: 1 })).toEqual(all);
    expect(await walk({ limit: 2, q: 'team' })).toEqual(all);
    app.kernel.services.limits.max_page_bytes = 2000;
    expect((await app.call('room_directory.list', {}, guest)).rooms).toHaveLength(1);
    expect(await walk({})).toEqual(all);
    expect(await walk({ q: 'team' })).toEqual(all);
  });

  it('shows a key that is limited to other paths no more than other accounts see', async () => {
    const app = await open();
    const room_id = await make(app, 'Release planning');
    const member = async (path: string) => {
      const read = [[parseGlob(path) as Glob]];
      const key = { key_id: 'k', name: 'limited', type: 'agent' as const, read, write: read };
      return (await app.call('room_directory.read', { room_id }, { ...owner, key })).member;
    };
    expect(await member('team/**')).toBe(false);
    expect(await member(`@${room_id}/**`)).toBe(true);
  });

  it('goes on where even the rarest word is in more rooms than one page looks at', async () => {
    const app = await open();
    const { database } = app.kernel.services;
    const id = (i: number) => `busy-${String(i).padStart(6, '0')}`;
    const rooms = Array.from({ length: 2100 }, (_, i) => id(i));
    const shown = { description: '', topics: '[]', account_count: 1, agent_count: 1 };
    await database.transaction(async (tx) => {
      tx.enterAll(rooms.map(accountOfRoom));
      const cards = rooms.map((room_id) => ({ account_id: accountOfRoom(room_id), room_id, name: room_id, ...shown }));
      await tx.insertMany(upsertCard, cards);
      const wordsOf = (room_id: string) => ['busi', 'team', ...(room_id === id(2050) ? ['rare'] : [])];
      const words = rooms.flatMap((room_id) =>
        wordsOf(room_id).map((word) => ({ account_id: accountOfRoom(room_id), word, room_id })),
      );
      await tx.insertMany(insertWord, words);
    });
    expect(await find(app, { q: 'busy rare' })).toEqual([id(2050)]);
    expect(await find(app, { q: 'busy missing' })).toEqual([]);
    const found: string[] = [];
    let pages = 0;
    for (let cursor: string | undefined; ; pages++) {
      const page = await app.call(
        'room_directory.list',
        { q: 'busy team', ...(cursor ? { cursor } : {}), limit: 1000 },
        guest,
      );
      found.push(...page.rooms.map(({ room_id }) => room_id));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(found).toEqual(rooms);
    expect(pages).toBeLessThan(5);
  });
});
