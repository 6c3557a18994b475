import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTHOR, type EntryKey, flush, keysOf, newPath, newSession, OTHER, writeAll } from '../sessions/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

describe.each(backends)('what was read and changed since, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const newEntry = async (): Promise<EntryKey> => {
    const at = { entity_path: newPath(), key: 'policy' };
    await writeAll(app, [at]);
    return at;
  };
  const change = (at: EntryKey, as: object = OTHER, value: unknown = 'another claim') =>
    app.call('entries.write', { ...at, value }, as);
  const write = (as: object, input: object = {}) =>
    app.call('entries.write', { entity_path: newPath(), key: 'k', value: 1, ...input }, as);
  const commit = (as: object, input: object = {}) =>
    app.call('outcomes.commit', { outcome_ref: newPath(), outcome_type: 'success', ...input }, as);
  const stale = (at: EntryKey, more: object = {}) => ({
    ...at,
    branch: 'main',
    read_version: 1,
    current_version: 2,
    changed_by: OTHER.agent_id,
    value_changed: true,
    ...more,
  });

  it('is reported to writes, commits, outcomes and explanations', async () => {
    const at = await newEntry();
    const session = newSession();
    await app.call('entries.read', at, session);
    expect(await write(session)).toMatchObject({ stale_reads: [] });
    await change(at);
    expect((await app.call('sessions.explain', {}, session)).stale_reads).toEqual([stale(at)]);
    expect((await write(session)).stale_reads).toEqual([stale(at)]);
    const writes = [{ entity_path: newPath(), key: 'k', value: 1 }];
    expect((await app.call('commits.create', { message: '', writes }, session)).stale_reads).toEqual([stale(at)]);
    expect((await commit(session)).stale_reads).toEqual([stale(at)]);
    // The outcome sealed the session.
    expect((await write(session)).stale_reads).toEqual([]);
  });

  it('refuses what wants everything unchanged, and nothing is changed', async () => {
    const at = await newEntry();
    const session = newSession();
    await app.call('entries.read', at, session);
    await change(at);
    const target = { entity_path: newPath(), key: 'k' };
    await flush(app);
    const { last_seq } = await app.call('stats.read', {});
    const refused = [
      write(session, { ...target, if_unchanged: true }),
      app.call('commits.create', { message: '', writes: [{ ...target, value: 1 }], if_unchanged: true }, session),
      commit(session, { if_unchanged: true }),
    ];
    for (const answer of refused)
      await expect(answer).rejects.toMatchObject({ code: 'stale_reads', detail: { stale_reads: [stale(at)] } });
    await expect(app.call('entries.read', target)).rejects.toMatchObject({ code: 'not_found' });
    expect((await app.call('stats.read', {})).last_seq).toBe(last_seq);
    const { error_events, causal_entries } = await app.call('sessions.explain', {}, session);
    expect(error_events.map(({ error_type }) => error_type)).toEqual(Array(3).fill('stale_reads'));
    expect(keysOf(causal_entries)).toEqual(['policy']);
  });

  it('is no longer stale once it was read again', async () => {
    const at = await newEntry();
    const session = newSession();
    await app.call('entries.read', at, session);
    await change(at);
    await app.call('entries.read', at, session);
    expect(await write(session, { if_unchanged: true })).toMatchObject({ stale_reads: [] });
    expect((await commit(session, { if_unchanged: true })).entries).toMatchObject([{ applied: true, version: 2 }]);
  });

  it('counts from the newest version that was read', async () => {
    const at = await newEntry();
    const session = newSession();
    await app.call('entries.read', at, session);
    await change(at);
    await app.call('entries.read', at, session);
    await change(at, OTHER, 'a third claim');
    expect((await write(session)).stale_reads).toEqual([stale(at, { read_version: 2, current_version: 3 })]);
  });

  it('does not name what the session changed itself, in whichever way', async () => {
    const session = newSession();
    const places = await Promise.all([newEntry(), newEntry(), newEntry(), newEntry()]);
    const [written, committed, deleted, restored] = places as [EntryKey, EntryKey, EntryKey, EntryKey];
    for (const at of places) await app.call('entries.read', at, session);
    await change(written, session);
    await app.call('commits.create', { message: '', writes: [{ ...committed, value: 2 }] }, session);
    await app.call('entries.delete', deleted, session);
    await change(restored, session);
    await app.call('entries.restore', { ...restored, version: 1 }, session);
    expect(await write(session, { if_unchanged: true })).toMatchObject({ stale_reads: [] });
    expect(await commit(session, { if_unchanged: true })).toMatchObject({ stale_reads: [] });
  });

  it('names what another session of the same agent changed', async () => {
    const at = await newEntry();
    const session = newSession();
    const twin = { ...newSession(), agent_id: session.agent_id };
    await app.call('entries.read', at, session);
    await change(at, twin);
    expect((await write(session)).stale_reads).toEqual([stale(at, { changed_by: session.agent_id })]);
    const causal_entry_keys = [{ ...at, version: 1 }];
    const named = await commit(newSession(), { causal_entry_keys });
    expect(named.stale_reads).toEqual([stale(at, { changed_by: session.agent_id })]);
    expect((await commit(twin, { causal_entry_keys })).stale_reads).toEqual([]);
  });

  it('names what the nameless session of another key changed, and not what its own did', async () => {
    const at = await newEntry();
    const nameless = (actor: string) => ({ agent_id: 'agent/nameless', session_id: null, actor });
    for (const actor of ['key/1', 'key/2']) await app.call('entries.read', at, nameless(actor));
    await change(at, nameless('key/1'));
    expect(await write(nameless('key/1'))).toMatchObject({ stale_reads: [] });
    expect((await write(nameless('key/2'))).stale_reads).toEqual([stale(at, { changed_by: 'agent/nameless' })]);
  });

  it('distinguishes a restated value from a changed one', async () => {
    const at = await newEntry();
    const session = newSession();
    await app.call('entries.read', at, session);
    await app.call('entries.write', { ...at, value: { about: 'policy' }, confidence: 0.9 }, OTHER);
    expect((await write(session)).stale_reads).toEqual([stale(at, { value_changed: false })]);
  });

  it('is not changed by an outcome that moved its confidence', async () => {
    const at = await newEntry();
    const session = newSession();
    await app.call('entries.read', at, session);
    await commit(OTHER, { causal_entry_keys: [at], outcome_type: 'failure' });
    expect(await commit(session, { if_unchanged: true })).toMatchObject({ stale_reads: [], affected_entries: 1 });
  });

  it.each([
    ['deleted', (at: EntryKey) => app.call('entries.delete', at, OTHER), OTHER.agent_id],
    [
      'made private',
      (at: EntryKey) => app.call('entries.write', { ...at, value: 'mine', shared: false }, AUTHOR),
      null,
    ],
  ])('that was %s is gone for the reader', async (_, act, changed_by) => {
    const at = await newEntry();
    const session = newSession();
    await app.call('entries.read', at, session);
    await act(at);
    expect((await write(session)).stale_reads).toEqual([stale(at, { current_version: null, changed_by })]);
    await expect(commit(session, { if_unchanged: true })).rejects.toMatchObject({ code: 'stale_reads' });
    // Named by one that never read it itself, it is as stale.
    const named = { causal_entry_keys: [{ ...at, version: 1 }], if_unchanged: true };
    await expect(commit(newSession(), named)).rejects.toMatchObject({
      code: 'stale_reads',
      detail: { stale_reads: [stale(at, { current_version: null, changed_by })] },
    });
  });

  it('that has expired is gone, before the sweep and after it', async () => {
    const at = { entity_path: newPath(), key: 'short' };
    await app.call('entries.write', { ...at, value: 1, ttl_seconds: 60 }, AUTHOR);
    const session = newSession();
    await app.call('entries.read', at, session);
    expect(await write(session)).toMatchObject({ stale_reads: [] });
    app.clock.advance(61_000);
    expect((await write(session)).stale_reads).toMatchObject([{ ...at, current_version: null, value_changed: true }]);
    await app.jobs.sweep();
    expect((await write(session)).stale_reads).toMatchObject([{ ...at, current_version: null, value_changed: true }]);
  });

  it('and was named with its version is reported, but nothing that the agent may not see', async () => {
    const at = await newEntry();
    await change(at);
    const secret = { entity_path: newPath(), key: 'secret' };
    await app.call('entries.write', { ...secret, value: 1, shared: false }, AUTHOR);
    await app.call('entries.write', { ...secret, value: 2, shared: false }, AUTHOR);
    const causal_entry_keys = [at, secret, { entity_path: newPath(), key: 'none' }].map((one) => ({
      ...one,
      version: 1,
    }));
    const answer = await commit(newSession(), { causal_entry_keys });
    expect(answer.stale_reads).toEqual([stale(at)]);
    expect(answer.entries).toMatchObject([
      { applied: false, reason: 'value_changed' },
      { applied: false, reason: 'not_found' },
      { applied: false, reason: 'not_found' },
    ]);
  });

  it('that was erased is not reported as stale', async () => {
    const at = await newEntry();
    const session = newSession();
    await app.call('entries.read', at, session);
    await app.call('entries.erase', at);
    await writeAll(app, [at]);
    expect(await commit(session, { if_unchanged: true })).toMatchObject({ stale_reads: [], entries: [] });
  });
});

describe.each(backends)('of writes that arrive together on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  it('one that wants everything unchanged wins, and the others learn who was before them', async () => {
    const at = { entity_path: 'counter', key: 'n' };
    await app.call('entries.write', { ...at, value: 0 }, AUTHOR);
    const sessions = Array.from({ length: 6 }, (_, i) => newSession(`agent/${i}`));
    for (const session of sessions) await app.call('entries.read', at, session);
    const answers = await Promise.allSettled(
      sessions.map((session, i) => app.call('entries.write', { ...at, value: i + 1, if_unchanged: true }, session)),
    );
    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(refused.map(({ reason }) => reason.code)).toEqual(Array(5).fill('stale_reads'));
    expect(await app.call('entries.read', at)).toMatchObject({ version: 2 });
  });

  it('counting by reading and writing what is unchanged loses no count', async () => {
    const at = { entity_path: 'counter', key: 'm' };
    await app.call('entries.write', { ...at, value: 0 }, AUTHOR);
    const count = async (n: number) => {
      for (let left = 3; left > 0; ) {
        const session = newSession(`agent/${n}`);
        const { value } = (await app.call('entries.read', at, session)) as { value: number };
        const next = { ...at, value: value + 1, if_unchanged: true };
        left -= await app.call('entries.write', next, session).then(
          () => 1,
          () => 0,
        );
      }
    };
    await Promise.all([0, 1, 2, 3].map(count));
    expect(await app.call('entries.read', at)).toMatchObject({ value: 12 });
  });
});
