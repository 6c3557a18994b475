import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { countRows, refusal, rowsOf } from './support.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe.each(backends)('idempotency keys on %s', (backend) => {
  let app: TestApp;
  let n = 0;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const fresh = () => ({ at: { entity_path: 'i', key: `k${++n}` }, as: { idempotency_key: `key ${n}` } });
  const storedAnswers = () => rowsOf(app, 'SELECT idempotency_key FROM stored_answers');

  it('the same request again gets the same answer, and nothing is done twice', async () => {
    const { at, as } = fresh();
    const first = await app.call('entries.write', { ...at, value: 1 }, as);
    const before = [await countRows(app, 'events'), await countRows(app, 'audit')];
    await app.call('entries.write', { ...at, value: 2 });
    app.clock.advance(1000);
    expect(await app.call('entries.write', { ...at, value: 1 }, as)).toEqual(first);
    expect(await app.call('entries.read', at)).toMatchObject({ version: 2, value: 2 });
    expect([await countRows(app, 'events'), await countRows(app, 'audit')]).toEqual(before.map((count) => count + 1));
  });

  it.each([
    ['entries.delete', {}],
    ['entries.restore', { version: 1 }],
    ['commits.create', { writes: [{ entity_path: 'i/commit', key: 'k', value: 1 }] }],
    ['entries.erase', { dry_run: false }],
  ] as const)('%s is replayed too', async (name, more) => {
    const { at, as } = fresh();
    await app.call('entries.write', { ...at, value: 1 });
    await app.call('entries.write', { ...at, value: 2 });
    const input = name === 'commits.create' ? more : { ...at, ...more };
    const first = await app.call(name, input as never, as);
    const events = await countRows(app, 'events');
    expect(await app.call(name, input as never, as)).toEqual(first);
    expect(await countRows(app, 'events')).toBe(events);
  });

  it('many copies of one request at once are one request', async () => {
    const { at, as } = fresh();
    const copies = Array.from({ length: 20 }, () => app.call('entries.write', { ...at, value: 1 }, as));
    const answers = await Promise.all(copies);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ version: 1, unchanged: false });
  });

  it('the same key with another request, operation or agent is refused', async () => {
    const { at, as } = fresh();
    await app.call('entries.write', { ...at, value: 1 }, as);
    const others = [
      () => app.call('entries.write', { ...at, value: 2 }, as),
      () => app.call('entries.delete', at, as),
      () => app.call('entries.write', { ...at, value: 1 }, { ...as, agent_id: 'agent/other' }),
    ];
    for (const other of others)
      expect(await refusal(other())).toMatchObject({ code: 'idempotency_mismatch', status: 422, ...as });
    expect(await app.call('entries.read', at)).toMatchObject({ version: 1, value: 1 });
  });

  it('a request that failed may be tried again with its key', async () => {
    const { at, as } = fresh();
    const write = { ...at, value: 1, if_version: 1 };
    expect(await refusal(app.call('entries.write', write, as))).toMatchObject({ code: 'version_conflict' });
    await app.call('entries.write', { ...at, value: 0 });
    expect(await app.call('entries.write', write, as)).toMatchObject({ version: 2 });
  });

  it('after a day the same request is a new one', async () => {
    const { at, as } = fresh();
    const first = await app.call('entries.write', { ...at, value: 1 }, as);
    await app.call('entries.write', { ...at, value: 2 });
    app.clock.advance(DAY_MS);
    expect(await app.call('entries.write', { ...at, value: 1 }, as)).toEqual(first);
    app.clock.advance(1);
    const again = await app.call('entries.write', { ...at, value: 1 }, as);
    expect(again).toMatchObject({ version: 3, value: 1 });
    expect(await app.call('entries.write', { ...at, value: 1 }, as)).toEqual(again);
  });

  it('the sweep deletes answers that are a day old, and no others', async () => {
    const { at, as } = fresh();
    await app.call('entries.write', { ...at, value: 1 }, as);
    app.clock.advance(DAY_MS);
    const later = fresh();
    await app.call('entries.write', { ...later.at, value: 1 }, later.as);
    await app.jobs.sweep();
    const kept = async () => (await storedAnswers()).map((row) => row.idempotency_key);
    expect(await kept()).toEqual(expect.arrayContaining([as.idempotency_key, later.as.idempotency_key]));
    app.clock.advance(1);
    await app.jobs.sweep();
    expect(await kept()).toEqual([later.as.idempotency_key]);
  });
});
