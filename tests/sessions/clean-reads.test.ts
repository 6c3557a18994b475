import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { countStatements, noteStatement } from '../support/counted.ts';
import { watchDatabase } from '../support/statements.ts';

const READER = { agent_id: 'agent/reader', session_id: 'long' };
const OTHER = { agent_id: 'agent/other', session_id: 'beside' };
const at = (key: string) => ({ entity_path: 'notes', key });
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

describe.each(backends)('writes of a session that has read much on %s', (backend) => {
  let app: TestApp;
  let written = 0;
  beforeEach(async () => {
    app = await openTestApp(backend, { wrapDatabase: (database) => watchDatabase(database, noteStatement) });
  });
  afterEach(() => app.close());

  const lay = (count: number) =>
    app.call('commits.create', { writes: numbers(count).map((i) => ({ ...at(`k${i}`), value: i })) }, READER);
  const read = async (count: number) => {
    for (const i of numbers(count)) await app.call('entries.read', at(`k${i}`), READER);
    await app.kernel.services.noteBuffer.flushAll();
  };
  const write = (as: typeof READER, more: object = {}) =>
    app.call('entries.write', { ...at(`new${written++}`), value: 1, ...more }, as);
  const statementsOf = async (as: typeof READER) => (await countStatements(() => write(as))).texts.sort();

  it('a write takes the same statements, however many entries there are and the session has read', async () => {
    await lay(300);
    await write({ ...READER, session_id: 'empty' });
    const plain = await statementsOf({ ...READER, session_id: 'empty' });
    await read(40);
    await write(READER);
    expect(await statementsOf(READER)).toEqual(plain);
    await lay(600);
    await write(READER);
    expect(await statementsOf(READER)).toEqual(plain);
  });

  it('what another agent changes after a write is stale in the next one', async () => {
    await lay(3);
    await read(3);
    for (const _ of numbers(2)) expect((await write(READER)).stale_reads).toEqual([]);
    await app.call('entries.write', { ...at('k1'), value: 'other' }, OTHER);
    const stale = [expect.objectContaining({ ...at('k1'), read_version: 1, current_version: 2 })];
    for (const _ of numbers(2)) expect((await write(READER)).stale_reads).toEqual(stale);
    await expect(write(READER, { if_unchanged: true })).rejects.toMatchObject({ code: 'stale_reads' });
  });

  it('what another agent changes in the same batch is stale in the next write', async () => {
    await lay(1);
    await read(1);
    await write(READER);
    const other = app.call('entries.write', { ...at('k0'), value: 'other' }, OTHER);
    await Promise.all([write(READER), other, write(READER)]);
    expect((await write(READER)).stale_reads).toHaveLength(1);
  });

  it('what the session reads between its writes is checked too', async () => {
    await lay(2);
    await read(1);
    await write(READER);
    await app.call('entries.read', at('k1'), READER);
    await app.kernel.services.noteBuffer.flushAll();
    expect((await write(READER)).stale_reads).toEqual([]);
    await app.call('entries.write', { ...at('k1'), value: 'other' }, OTHER);
    expect((await write(READER)).stale_reads).toHaveLength(1);
  });

  it('an entry that ends by itself is stale from then on, even where the session itself said when', async () => {
    await lay(2);
    await app.call('entries.write', { ...at('k0'), value: 'short', ttl_seconds: 60 }, READER);
    await read(2);
    await write(READER);
    await app.call('entries.write', { ...at('k1'), value: 'longer', ttl_seconds: 120 }, READER);
    expect((await write(READER)).stale_reads).toEqual([]);
    app.clock.advance(61_000);
    expect((await write(READER)).stale_reads).toMatchObject([at('k0')]);
    app.clock.advance(60_000);
    expect((await write(READER)).stale_reads).toHaveLength(2);
  });
});
