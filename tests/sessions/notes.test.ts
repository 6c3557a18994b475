import { describe, expect, it, onTestFinished } from 'vitest';
import { type Backend, backends, openTestApp, type TestApp } from '../support/app.ts';
import { watchDatabase } from '../support/statements.ts';
import { DOER, flush, keysOf, writeAll } from './support.ts';

const at = (key: string) => ({ entity_path: 'checkout/payments', key });

async function open(backend: Backend, see: (text: string) => void = () => {}): Promise<TestApp> {
  const app = await openTestApp(backend, {
    wrapDatabase: (database) => watchDatabase(database, ({ text }) => see(text)),
  });
  onTestFinished(() => app.close());
  return app;
}

const read = async (app: TestApp, as = DOER) =>
  keysOf((await app.call('sessions.explain', {}, as)).causal_entries).sort();
const recalls = async (app: TestApp) =>
  (await app.call('entries.list', { limit: 1000 })).entries.map(({ recall_count }) => recall_count);

describe.each(backends)('what callers see is noted beside their requests, on %s', (backend) => {
  it('many reads are written together', async () => {
    const written: string[] = [];
    const app = await open(backend, (text) => void written.push(text));
    await writeAll(app, [at('a')]);
    await flush(app);
    written.length = 0;
    await Promise.all(Array.from({ length: 100 }, () => app.call('entries.read', at('a'), DOER)));
    await flush(app);
    const count = (start: string) => written.filter((text) => text.startsWith(start)).length;
    // How many depends on how long the reads take.
    expect(count('INSERT INTO sessions')).toBeLessThan(50);
    expect(count('INSERT INTO standings')).toBe(count('INSERT INTO sessions'));
    expect(count('INSERT INTO session_reads')).toBe(1);
    expect(written.filter((text) => /^(INSERT INTO|UPDATE) (entries|versions)\b/.test(text))).toEqual([]);
    expect(await recalls(app)).toEqual([100]);
  });

  it('is written before the outcome, attempt or explanation of its session', async () => {
    const app = await open(backend);
    await writeAll(app, [at('a'), at('b'), at('c')]);
    await app.call('entries.read', at('a'), DOER);
    expect(await app.call('sessions.record_attempt', {}, DOER)).toMatchObject({ entries: 1 });
    await app.call('entries.read', at('b'), DOER);
    expect(await read(app)).toEqual(['a', 'b']);
    await app.call('entries.read', at('c'), DOER);
    const { entries } = await app.call('outcomes.commit', { outcome_ref: 'x', outcome_type: 'success' }, DOER);
    expect(keysOf(entries)).toEqual(['a', 'b', 'c']);
  });

  it('a request that is not waited for belongs to what was sent before it', async () => {
    const app = await open(backend);
    await writeAll(app, [at('a')]);
    const commit = (outcome_ref: string) =>
      app.call('outcomes.commit', { outcome_ref, outcome_type: 'success' as const }, DOER);
    await app.call('entries.read', at('a'), DOER);
    const answers = await Promise.all([commit('one'), commit('two'), commit('three')]);
    expect(answers.map(({ entries }) => entries.length)).toEqual([1, 0, 0]);
  });

  it('is tried again when the store fails, and counted once', async () => {
    let failing = '';
    const app = await open(backend, (text) => {
      if (failing !== '' && text.startsWith(failing)) throw new Error('the store failed');
    });
    const keys = Array.from({ length: 250 }, (_, i) => `k${i}`).sort();
    await app.call('commits.create', { message: 'all', writes: keys.map((key) => ({ ...at(key), value: key })) });
    for (const statement of ['INSERT INTO session_reads', 'INSERT INTO standings', 'INSERT INTO sessions']) {
      failing = statement;
      await Promise.all(keys.map((key) => app.call('entries.read', at(key), DOER)));
      await flush(app);
      failing = '';
      expect(await read(app)).toEqual(keys);
      await app.call('outcomes.commit', { outcome_ref: statement, outcome_type: 'success' }, DOER);
    }
    // Some of the counts are put off at each time.
    for (let round = 0; round < 20; round++) await flush(app);
    expect(new Set(await recalls(app))).toEqual(new Set([3]));
  });

  it('a request that makes no sense does not keep anything else from being noted', async () => {
    const app = await open(backend);
    await writeAll(app, [at('a')]);
    for (const entity_path of ['nul\0l', 'x'.repeat(100_000), '\ud800', '', 'é'.repeat(600)])
      await expect(app.call('entries.write', { ...at('b'), entity_path, value: 1 }, DOER)).rejects.toMatchObject({
        code: 'invalid_input',
      });
    await expect(app.call('entries.read', { ...at('b'), branch: 'nul\0l' }, DOER)).rejects.toThrow();
    await app.call('entries.read', at('a'), DOER);
    const explained = await app.call('sessions.explain', {}, DOER);
    expect(keysOf(explained.causal_entries)).toEqual(['a']);
    expect(explained.error_events.map(({ error_type }) => error_type)).toEqual(Array(6).fill('invalid_input'));
  });

  it('a refusal belongs to the session that the refused request named', async () => {
    const app = await open(backend);
    const named = { agent_id: 'agent/named', session_id: 'named' };
    await expect(app.call('entries.delete', { ...at('none'), ...named }, DOER)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await app.call('sessions.explain', {}, DOER)).error_events).toEqual([]);
    expect((await app.call('sessions.explain', {}, named)).error_events).toMatchObject([
      { operation: 'entries.delete', error_type: 'not_found' },
    ]);
  });

  it('nothing is noted where reads are not to be tracked', async () => {
    const app = await openTestApp(backend, { trackReads: false });
    onTestFinished(() => app.close());
    await writeAll(app, [at('a')]);
    await app.call('entries.read', at('a'), DOER);
    await flush(app);
    expect(await read(app)).toEqual([]);
    expect(await recalls(app)).toEqual([0]);
    const answer = await app.call('outcomes.commit', { outcome_ref: 'x', outcome_type: 'success' }, DOER);
    expect(answer.affected_entries).toBe(0);
  });
});
