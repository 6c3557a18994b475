import { type Client, createClient, isMemError, type MemError } from '@mem-service/sdk';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';

describe.each(backends)('writers of one entry on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  let mem: Client;
  beforeAll(async () => {
    app = await openTestApp(backend);
    server = await listen(app);
    mem = createClient({ url: server.url, agentId: 'agent/sdk' });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  it('lose nothing when they merge', async () => {
    const at = { entityPath: 'merge', key: 'list' };
    const names = Array.from({ length: 8 }, (_, i) => `w${i}`);
    await Promise.all(
      names.map((name) =>
        mem.entries.write({ ...at, value: [name] }, { conflict: (mine, theirs) => [...(theirs ?? []), ...mine] }),
      ),
    );
    const { value, version } = await mem.entries.read(at);
    expect([...(value as string[])].sort()).toEqual(names);
    expect(version).toBe(8);
  });

  it('get the current entry, and are not called without a conflict', async () => {
    const at = { entityPath: 'merge', key: 'asked' };
    const first = await mem.entries.write({ ...at, value: { a: 1 } });
    const asked: unknown[] = [];
    const conflict = (mine: object, theirs: object | undefined, entry: { version: number } | undefined) => {
      asked.push([mine, theirs, entry?.version]);
      return { ...theirs, ...mine };
    };
    await mem.entries.write({ ...at, value: { a: 2 } as object, ifVersion: first.version }, { conflict });
    expect(asked).toEqual([]);
    const merged = await mem.entries.write({ ...at, value: { b: 1 } as object, ifVersion: 1 }, { conflict });
    expect(asked).toEqual([[{ b: 1 }, { a: 2 }, 2]]);
    expect(merged).toMatchObject({ version: 3, value: { a: 2, b: 1 } });
  });

  it('can bring back what was deleted meanwhile, or give up', async () => {
    const at = { entityPath: 'merge', key: 'gone' };
    await mem.entries.write({ ...at, value: 1 });
    await mem.entries.delete(at);
    const back = await mem.entries.write(
      { ...at, value: 5, ifVersion: 1 },
      { conflict: (mine, theirs) => (theirs === undefined ? mine : theirs) },
    );
    expect(back.value).toBe(5);
    const enough = new Error('enough');
    const refused = mem.entries.write(
      { ...at, value: 6, ifVersion: 1 },
      {
        conflict: () => {
          throw enough;
        },
      },
    );
    await expect(refused).rejects.toBe(enough);
  });

  it('give up when another writer is always faster', async () => {
    const at = { entityPath: 'merge', key: 'busy' };
    await mem.entries.write({ ...at, value: 0 });
    let calls = 0;
    const outrun = mem.entries.write(
      { ...at, value: 'mine' },
      {
        conflict: async (mine) => {
          await mem.entries.write({ ...at, value: `theirs ${++calls}` });
          return mine;
        },
      },
    );
    const refusal = await outrun.catch((error) => error);
    expect(isMemError(refusal, 'version_conflict')).toBe(true);
    expect(calls).toBe(20);
  });

  it('know from the error what is there, by its code', async () => {
    const at = { entityPath: 'merge', key: 'typed' };
    await mem.entries.write({ ...at, value: 1 });
    const refusal: unknown = await mem.entries.write({ ...at, value: 2, ifVersion: 7 }).catch((error) => error);
    if (!isMemError(refusal, 'version_conflict')) throw refusal;
    expectTypeOf(refusal.details.currentVersion).toEqualTypeOf<number>();
    expectTypeOf(refusal.code).toEqualTypeOf<'version_conflict'>();
    expect(refusal.details).toEqual({ ...at, currentVersion: 1 });

    const session = mem.session();
    await session.entries.read(at);
    await mem.entries.write({ ...at, value: 3 });
    const stale: unknown = await session.entries
      .write({ entityPath: 'merge', key: 'other', value: 1, ifUnchanged: true })
      .catch((error) => error);
    if (!isMemError(stale, 'stale_reads', 'conflict')) throw stale;
    expectTypeOf(stale).toEqualTypeOf<MemError<'stale_reads' | 'conflict'>>();
    if (isMemError(stale, 'stale_reads'))
      expect(stale.details.staleReads).toMatchObject([
        { ...at, readVersion: 1, currentVersion: 2, valueChanged: true },
      ]);
    await session.close();

    expect(isMemError(refusal)).toBe(true);
    expect(isMemError(refusal, 'not_found', 'stale_reads')).toBe(false);
    expect(isMemError(new Error('x'))).toBe(false);
    expect(isMemError(undefined)).toBe(false);
  });
});
