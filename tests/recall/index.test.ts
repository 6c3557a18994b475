import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../packages/server/src/db/index.ts';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, readyPlace, type TestApp } from '../support/app.ts';
import { exportLines, importLines } from '../transfer/support.ts';
import { caughtUp } from './caught-up.ts';
import { expectIndexWhole, vectorsOf } from './stored-index.ts';

const A = { agent_id: 'agent/a' };
const at = (key: string) => ({ entity_path: 'notes', key });

describe.each(backends)('the index of meaning, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  it('has a vector for each passage of the newest versions, and none of deleted entries', async () => {
    await app.call('entries.write', { ...at('short'), value: 'the printer is on the third floor' }, A);
    await app.call('entries.write', { ...at('short'), value: 'the printer moved to the cellar' }, A);
    await app.call('entries.write', { ...at('long'), value: 'A sentence about gardens and trees. '.repeat(60) }, A);
    await app.call('entries.write', { ...at('gone'), value: 'to be deleted soon' }, A);
    await caughtUp(app);
    const before = await vectorsOf(app);
    expect(new Set(before.map(({ entry_id }) => entry_id)).size).toBe(3);
    expect(Math.max(...before.map(({ part }) => part))).toBeGreaterThan(1);
    await app.call('entries.delete', at('gone'), A);
    await caughtUp(app);
    expect(new Set((await vectorsOf(app)).map(({ entry_id }) => entry_id)).size).toBe(2);
  });

  it('loses what is erased, also what is erased while it is embedded', async () => {
    const { seq } = (await app.call('entries.write', { ...at('secret'), value: 'the vault code is tulip' }, A)) as {
      seq: number;
    };
    await caughtUp(app);
    const [row] = (await vectorsOf(app)).filter(({ entry_id }) => entry_id === seq);
    expect(row).toBeDefined();
    await app.call('entries.write', { ...at('secret-2'), value: 'the second vault code is rose' }, A);
    await app.call('entries.erase', { ...at('secret') } as never, A);
    await app.call('entries.erase', { ...at('secret-2') } as never, A);
    await caughtUp(app);
    expect((await vectorsOf(app)).filter(({ entry_id }) => entry_id >= seq)).toEqual([]);
    const { entries } = await app.call('entries.retrieve', { query: 'code of the vault' }, A);
    expect(JSON.stringify(entries)).not.toContain('vault');
    const { dataDir } = app.place.options as { dataDir?: string };
    if (backend === 'sqlite' && dataDir)
      for (const file of readdirSync(dataDir))
        if (file.startsWith('mem.db'))
          expect(readFileSync(join(dataDir, file)).includes(row?.vector ?? '')).toBe(false);
  });
});

describe.each(backends)('more entries than one transaction stores, on %s', (backend) => {
  it('have each vector once, also where events are followed again after a crash', async () => {
    const app = await openTestApp(backend);
    const values = Array.from({ length: 600 }, (_, n) => `the parcel ${n} is in hall ${n % 7}`);
    const writes = values.map((value, n) => ({ ...at(`k${n}`), value }));
    await app.call('commits.create', { message: 'many', writes }, A);
    await caughtUp(app);
    const stored = await vectorsOf(app);
    expect(stored).toHaveLength(600);
    await expectIndexWhole(app);
    // As if the server had ended after the first transactions of a batch, which leave the cursor where it is.
    await app.kernel.services.database.transaction((tx) => {
      tx.enter(SELF_HOSTED_ACCOUNT);
      return tx.run(sql`UPDATE consumer_cursors SET seq = 0
        WHERE account_id = ${SELF_HOSTED_ACCOUNT} AND consumer LIKE 'recall.embed%'`);
    });
    await app.call('entries.write', { ...at('k0'), value: 'the parcel 0 was delivered' }, A);
    await caughtUp(app);
    await expectIndexWhole(app);
    const changed = await vectorsOf(app);
    expect(changed).toHaveLength(600);
    expect(changed.filter(({ vector }, n) => vector !== stored[n]?.vector)).toHaveLength(1);
    await app.close();
  });
});

describe.each(backends)('a server, on %s', (backend) => {
  it('goes on with the index where another one stopped, and asks by words alone without an embedder', async () => {
    const place = await readyPlace(backend);
    const off = await openTestApp(backend, { place, settings: { embedder: 'off' } });
    await off.call('entries.write', { ...at('diet'), value: 'Maria is allergic to peanuts' }, A);
    await caughtUp(off);
    expect(await vectorsOf(off)).toEqual([]);
    const byWords = await off.call('entries.retrieve', { query: 'nuts allergy' }, A);
    expect(byWords).toMatchObject({ entries: [], index: { embedder: null, behind: 0 } });
    expect((await off.call('entries.retrieve', { query: 'who is allergic?' }, A)).entries).toHaveLength(1);
    await off.close();
    const on = await openTestApp(backend, { place });
    // The first walk finds what was left, the second lets it come due.
    await caughtUp(on);
    await caughtUp(on);
    expect(await vectorsOf(on)).toHaveLength(1);
    expect((await on.call('entries.retrieve', { query: 'nuts allergy' }, A)).entries[0]?.key).toBe('diet');
    await on.close();
    await place.remove();
  });

  it('makes the vectors of an import again', async () => {
    const [from, to] = [await openTestApp(backend), await openTestApp(backend)];
    await from.call('entries.write', { ...at('diet'), value: 'Maria is allergic to peanuts' }, A);
    await from.call('entries.write', { ...at('secret'), value: 'Maria hides nuts', shared: false }, A);
    await caughtUp(from);
    const lines = await exportLines(from);
    expect(JSON.stringify(lines)).not.toContain((await vectorsOf(from))[0]?.vector);
    await importLines(to, lines);
    await caughtUp(to);
    await caughtUp(to);
    const stored = async (app: TestApp) => (await vectorsOf(app)).map(({ owner, vector }) => ({ owner, vector }));
    expect(await stored(to)).toEqual(await stored(from));
    await expectIndexWhole(to);
    for (const app of [from, to]) await app.close();
  });
});
