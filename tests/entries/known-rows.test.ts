import type { OperationName } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../packages/server/src/db/index.ts';
import {
  addressesOf,
  createExamples,
  type JsonObject,
  type KnownIds,
  learn,
  newInput,
  outcomeOf,
  writing,
} from '../contract/table.ts';
import { backends, fakeClock, openTestApp, readyPlace, type StorePlace, type TestApp } from '../support/app.ts';
import { changeRows, iso, refusal } from './support.ts';

const MARK = 'knownmark';
const as = { agent_id: 'agent/reader' };
const NOTHING = { total: 0, account: 0, row: 0 };

describe.each(backends)('an entry that was read before, on %s', (backend) => {
  const clock = fakeClock();
  let place: StorePlace;
  let one: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    place = await readyPlace(backend);
    one = await openTestApp(backend, { place, clock });
    other = await openTestApp(backend, { place, clock });
  });
  afterAll(async () => {
    await one.close();
    await other.close();
    await place.remove();
  });

  let count = 0;
  /** An entry that both servers have read. */
  async function readByBoth(content: object = {}) {
    const at = { entity_path: 'hot/reads', key: `k${++count}` };
    await one.call('entries.write', { ...at, value: 'first', ...content } as never, as);
    for (const app of [one, other, one, other]) await app.call('entries.read', at, as);
    return at;
  }
  const valueAt = async (app: TestApp, at: { entity_path: string; key: string }) =>
    (await app.call('entries.read', at, as)).value;

  it('shows a write to the very next read, through every server', async () => {
    const at = await readByBoth();
    for (let i = 0; i < 20; i++) {
      const [writer, reader] = i % 2 === 0 ? [one, other] : [other, one];
      await writer.call('entries.write', { ...at, value: i }, as);
      expect(await valueAt(reader, at)).toBe(i);
      expect(await valueAt(writer, at)).toBe(i);
    }
  });

  it('shows a write to a read of the same turn of the event loop', async () => {
    const at = await readByBoth();
    for (let i = 0; i < 10; i++) {
      const early = valueAt(other, at);
      const late = one.call('entries.write', { ...at, value: i }, as).then(() => valueAt(other, at));
      expect(await late).toBe(i);
      await early;
    }
  });

  it('is gone once it is deleted, and back once it is restored', async () => {
    const at = await readByBoth();
    await one.call('entries.delete', at, as);
    for (const app of [one, other]) expect((await refusal(app.call('entries.read', at, as))).code).toBe('not_found');
    await other.call('entries.restore', { ...at, version: 1 }, as);
    for (const app of [one, other]) expect(await valueAt(app, at)).toBe('first');
  });

  it('is gone once it is erased', async () => {
    const at = await readByBoth();
    await one.call('entries.erase', at, as);
    for (const app of [one, other]) expect((await refusal(app.call('entries.read', at, as))).code).toBe('not_found');
  });

  it('is gone once its time is over, though nobody wrote', async () => {
    const at = await readByBoth({ ttl_at: iso(clock.now() + 60_000) });
    clock.advance(59_999);
    expect(await valueAt(one, at)).toBe('first');
    clock.advance(1);
    for (const app of [one, other]) expect((await refusal(app.call('entries.read', at, as))).code).toBe('not_found');
  });

  it('is hidden from others once it is private', async () => {
    const at = await readByBoth();
    const stranger = { agent_id: 'agent/stranger' };
    for (const app of [one, other]) await app.call('entries.read', at, stranger);
    await one.call('entries.write', { ...at, value: 'mine', shared: false }, as);
    for (const app of [one, other]) {
      expect((await refusal(app.call('entries.read', at, stranger))).code).toBe('not_found');
      expect(await valueAt(app, at)).toBe('mine');
    }
  });

  it('has the confidence that an outcome gave it', async () => {
    const at = await readByBoth({ confidence: 0.5 });
    const causal_entry_keys = [`${at.entity_path}/${at.key}`];
    await one.call('outcomes.commit', { outcome_ref: 'o', outcome_type: 'success', causal_entry_keys }, as);
    const [here, there] = await Promise.all([one, other].map((app) => app.call('entries.read', at, as)));
    expect(here).toMatchObject({ outcome_count: 1, confidence: expect.any(Number) });
    expect((here as { confidence: number }).confidence).toBeGreaterThan(0.5);
    expect(there).toMatchObject({ outcome_count: 1, confidence: (here as { confidence: number }).confidence });
  });

  it('counts the reads that were written down', async () => {
    const at = await readByBoth();
    for (const app of [one, other]) await app.kernel.services.noteBuffer.flushAll(true);
    for (const app of [one, other]) expect(await app.call('entries.read', at, as)).toMatchObject({ recall_count: 4 });
  });

  it('is as it was after a transaction that failed', async () => {
    const at = await readByBoth();
    const { database } = one.kernel.services;
    const failing = database.transaction(async (tx) => {
      tx.enter('default');
      await tx.run(sql`UPDATE entries SET deleted = 1 WHERE entity_path = ${at.entity_path} AND key = ${at.key}`);
      await valueAt(one, at);
      throw new Error('changed its mind');
    });
    await expect(failing).rejects.toThrow('changed its mind');
    for (const app of [one, other]) expect(await valueAt(app, at)).toBe('first');
  });

  it('shows what a statement changed that names no row', async () => {
    const at = await readByBoth();
    await changeRows(
      one,
      `UPDATE entries SET document = replace(document, 'first', 'last') WHERE entity_path = 'hot/reads'`,
    );
    for (const app of [one, other]) expect(await valueAt(app, at)).toBe('last');
  });
});

describe.each(backends)('after every operation that writes, on %s', (backend) => {
  let place: StorePlace;
  let app: TestApp;
  /** A server that keeps nothing in memory. */
  let plain: TestApp;
  let known: KnownIds;
  beforeAll(async () => {
    place = await readyPlace(backend);
    app = await openTestApp(backend, { place, trackReads: false });
    plain = await openTestApp(backend, { place, trackReads: false, readCache: NOTHING });
    known = await createExamples(app, { mark: MARK, as });
  });
  afterAll(async () => {
    await app.close();
    await plain.close();
    await place.remove();
  });

  const readAll = (from: TestApp): Promise<JsonObject[]> =>
    Promise.all(addressesOf(MARK).map((input) => outcomeOf(from, 'entries.read', { input, as })));

  it.each(writing)('%s: a read shows what the store holds', async (name: OperationName) => {
    await readAll(app);
    const input = newInput(name, MARK, known);
    const done = await outcomeOf(app, name, { input, as });
    if (!('refused' in done)) learn(known, done, name);
    expect(await readAll(app)).toEqual(await readAll(plain));
  });
});
