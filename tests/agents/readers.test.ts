import { type Glob, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../packages/server/src/kernel/index.ts';
import { follow, iso, refusal } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { write, X, Y } from './support.ts';

const Z = { agent_id: 'agent/z' };
const at = { entity_path: 'svc/a', key: 'policy' };

describe.each(backends)('who read an entry on %s', (backend) => {
  let app: TestApp;
  const read = async (as: object, session_id: string | null = null, entry = at) => {
    app.clock.advance(1000);
    await app.call('entries.read', entry, { ...as, session_id });
    await app.kernel.services.noteBuffer.flushAll(true);
    return iso(app.clock.now());
  };
  const readers = (as: object = X, input: object = {}) => app.call('entries.readers', { ...at, ...input }, as);

  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  it('is listed with version, time, session and the trace that it was sealed as', async () => {
    await write(app, at, X);
    const first = await read(Y, 's-1');
    await read(Y, 's-1');
    await read(X, 's-own');
    const { trace_id } = await app.call(
      'outcomes.commit',
      { outcome_ref: 'o-1', outcome_type: 'success' },
      { ...Y, session_id: 's-1' },
    );
    await write(app, { ...at, value: 'again' }, X);
    const second = await read(Z);
    const { reads, readers: agents, truncated, has_more } = await readers();
    expect(reads).toEqual([
      { agent_id: 'agent/z', session_id: null, branch: 'main', version: 2, read_at: second, trace_id: null },
      { agent_id: 'agent/y', session_id: 's-1', branch: 'main', version: 1, read_at: first, trace_id },
    ]);
    expect(trace_id).not.toBeNull();
    expect(agents.map(({ agent_id }) => agent_id)).toEqual(['agent/z', 'agent/y']);
    expect(agents[0]).toMatchObject({ read_count: 1, first_read_at: second, last_read_at: second });
    expect([truncated, has_more]).toEqual([false, false]);
  });

  it('counts reads of the author once its session is sealed', async () => {
    await app.call('outcomes.commit', { outcome_ref: 'o-2', outcome_type: 'success' }, { ...X, session_id: 's-own' });
    const { reads, readers: agents } = await readers();
    expect(reads).toHaveLength(2);
    expect(agents.map(({ agent_id }) => agent_id).sort()).toEqual(['agent/x', 'agent/y', 'agent/z']);
  });

  it('comes in pages, newest first', async () => {
    for (let i = 0; i < 3; i++) await read(Z, `paged-${i}`);
    const pages = await follow((cursor) => readers(X, { limit: 2, cursor }));
    const sessions = pages.flatMap(({ reads }) => reads.map(({ session_id }) => session_id));
    expect(sessions).toEqual(['paged-2', 'paged-1', 'paged-0', null, 's-1']);
  });

  it('is not told to those who may not see the entry', async () => {
    expect(await refusal(readers(X, { key: 'nothing' }))).toMatchObject({ code: 'not_found' });
    const key: Principal = { key_id: 'k', name: 'k', type: 'agent', read: [[parseGlob('svc/b/**') as Glob]] };
    expect(await refusal(readers({ ...Y, key }))).toMatchObject({ code: 'forbidden' });
    await app.call('entries.write', { ...at, value: 'mine alone', shared: false }, X);
    expect(await refusal(readers(Y))).toMatchObject({ code: 'not_found' });
    expect((await readers(X)).reads.length).toBeGreaterThan(0);
  });

  it('is forgotten when the entry is erased', async () => {
    await app.call('entries.erase', at, X);
    await write(app, at, X);
    expect(await readers()).toMatchObject({ reads: [], readers: [] });
  });
});
