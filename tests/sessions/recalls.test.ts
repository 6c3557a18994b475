import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { rowsOf } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { AUTHOR, DOER, flush, newPath, writeAll } from './support.ts';

describe.each(backends)('how often an entry was recalled, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  /** By key, without counting as a read itself. */
  const recalls = async (entity_path: string) => {
    await flush(app);
    const { entries } = await app.call('entries.list', { entity_path });
    return Object.fromEntries(entries.map(({ key, recall_count }) => [key, recall_count]));
  };

  it('every read counts once, also the second of a session and of several at a time', async () => {
    const at = { entity_path: newPath(), key: 'a' };
    await writeAll(app, [at]);
    await app.call('entries.read', at, DOER);
    await app.call('entries.read', at, DOER);
    await Promise.all(Array.from({ length: 5 }, () => app.call('entries.read', at, AUTHOR)));
    await app.call('agents.recall', at, AUTHOR);
    expect(await recalls(at.entity_path)).toEqual({ a: 8 });
  });

  it('a read of an old version is no recall of what is there', async () => {
    const at = { entity_path: newPath(), key: 'a' };
    await writeAll(app, [at]);
    await app.call('entries.write', { ...at, value: 2 }, AUTHOR);
    await app.call('entries.read', { ...at, version: 1 }, DOER);
    expect(await recalls(at.entity_path)).toEqual({ a: 0 });
    await app.call('entries.read', at, DOER);
    expect(await recalls(at.entity_path)).toEqual({ a: 1 });
  });

  it('a search counts its first hit, on its first page', async () => {
    const entity_path = newPath();
    const word = `sought${entity_path.replace(/\D/g, '')}`;
    const value = (n: number) => Array(n).fill(word).join(' ');
    for (const [i, key] of ['first', 'second', 'third'].entries())
      await app.call('entries.write', { entity_path, key, value: value(9 - 4 * i) }, AUTHOR);
    const found = await app.call('entries.search', { query: word, entity_path, limit: 1 }, DOER);
    const best = found.entries[0]?.key as string;
    await app.call('entries.search', { query: word, entity_path, limit: 1, cursor: found.next_cursor as string }, DOER);
    const counts = await recalls(entity_path);
    expect(counts[best]).toBe(1);
    expect(Object.values(counts).sort()).toEqual([0, 0, 1]);
  });

  it('lists, searches without words, histories and other looks count nothing', async () => {
    const at = { entity_path: newPath(), key: 'a' };
    await writeAll(app, [at]);
    await app.call('entries.list', { entity_path: at.entity_path }, DOER);
    await app.call('entries.search', { entity_path: at.entity_path }, DOER);
    await app.call('entries.history', at, DOER);
    await app.call('entries.confidence', at, DOER);
    await app.call('entries.aggregate', { entity_path: at.entity_path, op: 'count' }, DOER);
    expect(await recalls(at.entity_path)).toEqual({ a: 0 });
  });

  it('stays with an entry through its versions, and is gone with it', async () => {
    const at = { entity_path: newPath(), key: 'a' };
    await writeAll(app, [at]);
    await app.call('entries.read', at, DOER);
    expect(await recalls(at.entity_path)).toEqual({ a: 1 });
    const written = await app.call('entries.write', { ...at, value: 'changed' }, AUTHOR);
    expect(written.recall_count).toBe(1);
    await app.call('entries.erase', { entity_path: at.entity_path });
    await writeAll(app, [at]);
    expect(await recalls(at.entity_path)).toEqual({ a: 0 });
  });

  it('a read that is counted after its entry was erased leaves nothing', async () => {
    const at = { entity_path: newPath(), key: 'a' };
    const kept = { ...at, key: 'b' };
    await writeAll(app, [at, kept]);
    const stored = async () => (await rowsOf<{ n: number }>(app, 'SELECT count(*) AS n FROM standings'))[0]?.n;
    await flush(app);
    const before = await stored();
    const { entry_id } = (
      await rowsOf<{ entry_id: number }>(
        app,
        'SELECT entry_id FROM entries WHERE entity_path = ? AND key = ?',
        ...[at.entity_path, at.key],
      )
    )[0] as { entry_id: number };
    await app.call('entries.erase', at);
    const { noteBuffer } = app.kernel.services;
    noteBuffer.note(SELF_HOSTED_ACCOUNT, { agent_id: DOER.agent_id, session: '' }, { kind: 'recall', entry_id });
    await app.call('entries.read', kept, AUTHOR);
    await noteBuffer.flushAll(true);
    expect(await recalls(at.entity_path)).toEqual({ b: 1 });
    expect(await stored()).toBe(Number(before) + 1);
    await app.call('entries.erase', kept);
    expect(await stored()).toBe(before);
  });

  it('a read of what is not there, or not for the reader, counts nothing', async () => {
    const at = { entity_path: newPath(), key: 'a' };
    await app.call('entries.write', { ...at, value: 1, shared: false }, AUTHOR);
    await expect(app.call('entries.read', at, DOER)).rejects.toMatchObject({ code: 'not_found' });
    await app.call('entries.read', at, AUTHOR);
    await flush(app);
    const { entries } = await app.call('entries.list', { entity_path: at.entity_path }, AUTHOR);
    expect(entries.map(({ recall_count }) => recall_count)).toEqual([1]);
  });
});
