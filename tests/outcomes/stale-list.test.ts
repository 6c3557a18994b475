import { type Glob, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../packages/server/src/kernel/index.ts';
import { follow, iso } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const AUTHOR = { agent_id: 'agent/author' };
const READER = { agent_id: 'agent/reader' };
const OTHER = { agent_id: 'agent/other' };

describe.each(backends)('the list of stale reads on %s', (backend) => {
  let app: TestApp;
  const write = (entity_path: string, fields: object, as: object = AUTHOR) =>
    app.call('entries.write', { entity_path, key: 'k', value: 1, ...fields }, as);
  /** A session that reads an entry, which is changed before the outcome. */
  const goStale = async (entity_path: string, outcome_ref: string, as: object = READER) => {
    const session = { ...as, session_id: outcome_ref };
    await app.call('entries.read', { entity_path, key: 'k' }, session);
    await app.kernel.services.noteBuffer.flushAll(true);
    await write(entity_path, { value: `changed before ${outcome_ref}` });
    app.clock.advance(60_000);
    return app.call('outcomes.commit', { outcome_ref, outcome_type: 'failure' }, session);
  };
  const list = (input: object = {}, as: object = OTHER) => app.call('stale_reads.list', input, as);
  const refs = async (input: object = {}, as: object = OTHER) =>
    (await list(input, as)).stale_reads.map(({ outcome_ref }) => outcome_ref);

  beforeAll(async () => {
    app = await openTestApp(backend);
    await write('svc/a', {});
    await write('svc/b', {});
    await goStale('svc/a', 'o-1');
    await goStale('svc/b', 'o-2', OTHER);
    await goStale('svc/a', 'o-3');
  });
  afterAll(() => app.close());

  it('says who read what, what it led to, and what it is now', async () => {
    const { stale_reads } = await list({ limit: 1 });
    const outcome = (await app.call('outcomes.list', { outcome_ref: 'o-3' })).outcomes[0];
    expect(stale_reads).toEqual([
      {
        entity_path: 'svc/a',
        key: 'k',
        branch: 'main',
        read_version: 2,
        current_version: 3,
        changed_by: 'agent/author',
        value_changed: true,
        agent_id: 'agent/reader',
        session_id: 'o-3',
        outcome_ref: 'o-3',
        outcome_type: 'failure',
        trace_id: outcome?.trace_id,
        committed_at: iso(app.clock.now()),
      },
    ]);
  });

  it('comes newest first, in pages and with filters', async () => {
    expect(await refs()).toEqual(['o-3', 'o-2', 'o-1']);
    const pages = await follow((cursor) => app.call('stale_reads.list', { limit: 1, cursor }, OTHER));
    expect(pages.flatMap((page) => page.stale_reads.map(({ outcome_ref }) => outcome_ref))).toEqual([
      'o-3',
      'o-2',
      'o-1',
    ]);
    expect(await refs({ agent_id: 'agent/other' })).toEqual(['o-2']);
    expect(await refs({ entity_path: 'svc/a' })).toEqual(['o-3', 'o-1']);
    expect(await refs({ since: iso(app.clock.now()) })).toEqual(['o-3']);
    expect(await refs({ until: iso(app.clock.now()) })).toEqual(['o-2', 'o-1']);
  });

  it('leaves out paths out of scope', async () => {
    const key: Principal = { key_id: 'k', name: 'k', type: 'agent', read: [[parseGlob('svc/b') as Glob]] };
    expect(await refs({}, { ...OTHER, key })).toEqual(['o-2']);
  });

  it('says nothing about versions that others may not see', async () => {
    await write('svc/private', { shared: false });
    const session = { ...AUTHOR, session_id: 'mine' };
    await app.call('entries.read', { entity_path: 'svc/private', key: 'k' }, session);
    await app.kernel.services.noteBuffer.flushAll(true);
    await write('svc/private', { value: 2, shared: true }, { ...AUTHOR, session_id: 'another' });
    const outcome = await app.call('outcomes.commit', { outcome_ref: 'o-4', outcome_type: 'success' }, session);
    expect(outcome.stale_reads).toHaveLength(1);
    expect(await refs({ entity_path: 'svc/private' })).toEqual([]);
    expect(await refs({ entity_path: 'svc/private' }, AUTHOR)).toEqual(['o-4']);
  });

  it('forgets erased entries and agents', async () => {
    await app.call('entries.erase', { entity_path: 'svc/b', key: 'k' }, AUTHOR);
    expect(await refs()).toEqual(['o-3', 'o-1']);
    await app.call('agents.erase', { agent_id: 'agent/reader' } as never);
    expect(await refs()).toEqual([]);
  });
});
