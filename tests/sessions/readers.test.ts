import { describe, expect, it, onTestFinished } from 'vitest';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { readAccount } from '../../packages/server/src/kernel/queries.ts';
import { type Backend, backends, openTestApp, type TestApp } from '../support/app.ts';

async function open(backend: Backend): Promise<TestApp> {
  const app = await openTestApp(backend, { maxReaderNotes: 40 });
  onTestFinished(() => app.close());
  await app.call('entries.write', { entity_path: 'a', key: 'k', value: 1 });
  return app;
}

const flush = (app: TestApp) => app.kernel.services.noteBuffer.flushAll();

async function rowsOf(app: TestApp): Promise<number> {
  const { read } = app.kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT);
  const count = async (table: string) => {
    const text = `SELECT count(*) AS n FROM ${table} WHERE account_id = ?`;
    return (await read.get<{ n: number }>({ text, values: [SELF_HOSTED_ACCOUNT] }))?.n ?? 0;
  };
  return (await count('sessions')) + (await count('session_reads')) + (await count('session_items'));
}

async function readIn(app: TestApp, session_id: string): Promise<void> {
  await app.call('entries.read', { entity_path: 'a', key: 'k' }, { session_id });
  await flush(app);
  app.clock.advance(1000);
}

describe.each(backends)('sessions that only read, on %s', (backend) => {
  it('leave a bounded number of rows, and those used last keep their reads', async () => {
    const app = await open(backend);
    await app.call('sessions.record_context', { label: 'x', summary: 'y' }, { session_id: 'recorded' });
    await readIn(app, 'recorded');
    await readIn(app, 'first but busy');
    for (let i = 0; i < 100; i++) {
      await readIn(app, `s${i}`);
      if (i % 10 === 0) await app.call('entries.search', { query: 'k' }, { session_id: 'first but busy' });
    }
    expect(await rowsOf(app)).toBeLessThanOrEqual(40 + 3);
    for (const session_id of ['recorded', 'first but busy', 's99'])
      expect((await app.call('sessions.explain', {}, { session_id })).causal_entries).toHaveLength(1);
    expect((await app.call('sessions.explain', {}, { session_id: 's0' })).causal_entries).toEqual([]);
    const outcome = await app.call(
      'outcomes.commit',
      { outcome_ref: 'done', outcome_type: 'success' },
      { session_id: 's98' },
    );
    expect(outcome.entries).toHaveLength(1);
    const { read } = app.kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT);
    const account = await readAccount(read, SELF_HOSTED_ACCOUNT);
    expect(account?.reader_notes).toBeLessThanOrEqual(40);
  });
});
