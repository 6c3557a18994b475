import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { addresses, countRows, iso, refusal, rowsOf, textOf } from './support.ts';

const MARK = 'albatross';
const erasedKeys = { entity_path: `people/${MARK}`, key: `${MARK}-mail` };
const kept = { entity_path: 'people/other', key: 'mail' };

/** Two entries of a person, rewritten, deleted and committed; and one of another person. */
async function fill(app: TestApp) {
  const as = { idempotency_key: 'doomed write' };
  await app.call('entries.write', { ...erasedKeys, value: `${MARK} one`, pattern_refs: [MARK, 'shared-ref'] }, as);
  app.clock.advance(1000);
  await app.call('entries.write', { ...erasedKeys, value: { [MARK]: 'two' } });
  await app.call('commits.create', {
    message: `about ${MARK}`,
    writes: [
      { ...erasedKeys, value: `${MARK} three`, pattern_refs: [MARK] },
      { ...erasedKeys, key: 'deleted', value: MARK },
    ],
  });
  await app.call('entries.delete', { ...erasedKeys, key: 'deleted' });
  app.clock.advance(1000);
  await app.call('entries.write', { ...kept, value: 'kept', pattern_refs: ['shared-ref'] });
  await app.call(
    'commits.create',
    {
      message: 'both',
      writes: [
        { ...erasedKeys, key: 'third', value: `${MARK} four`, ttl_seconds: 3600 },
        { ...kept, value: 'kept too', pattern_refs: ['shared-ref'] },
      ],
    },
    { idempotency_key: 'doomed commit' },
  );
}

describe.each(backends)('erasing on %s', (backend) => {
  let app: TestApp;
  let lastSeq: number;
  beforeAll(async () => {
    app = await openTestApp(backend);
    await fill(app);
    lastSeq = (await app.call('stats.read', {})).last_seq;
  });
  afterAll(() => app.close());

  const erase = (dry_run: boolean) => app.call('entries.erase', { entity_path: 'people/**', dry_run });
  const eraseMarked = (dry_run: boolean) => app.call('entries.erase', { entity_path: `people/${MARK}`, dry_run });

  it('a dry run changes nothing, and the erasure does exactly what it said', async () => {
    const snapshot = async () => {
      const tables = ['entries', 'versions', 'events', 'audit', 'stored_answers', 'counts', 'commits', 'accounts'];
      return JSON.stringify(
        await Promise.all(tables.map((table) => rowsOf(app, `SELECT * FROM ${table} ORDER BY 1, 2`))),
      );
    };
    const before = await snapshot();
    const planned = await eraseMarked(true);
    expect(planned).toMatchObject({ dry_run: true, receipt_id: null, erased_at: null, key: null });
    expect(planned.erased).toEqual({
      entries: 3,
      versions: 6,
      index_rows: 2,
      log_events: 6,
      stored_answers: 2,
      commits: 1,
      session_records: 0,
      evidence: 0,
      trace_parts: 0,
      edges: expect.any(Number),
    });
    expect(await snapshot()).toBe(before);
    const done = await eraseMarked(false);
    expect(done).toMatchObject({ dry_run: false, erased: planned.erased, erased_at: iso(app.clock.now()) });
    expect(done.receipt_id).toEqual(expect.any(String));
  });

  it('nothing of it is read anywhere afterwards', async () => {
    for (const key of [erasedKeys.key, 'deleted', 'third']) {
      const at = { ...erasedKeys, key };
      const reads = [
        () => app.call('entries.read', at),
        () => app.call('entries.read', { ...at, version: 1 }),
        () => app.call('entries.read', { ...at, as_of: iso(app.clock.now()) }),
        () => app.call('entries.history', at),
        () => app.call('entries.diff', at),
        () => app.call('entries.restore', { ...at, version: 1 }),
      ];
      for (const read of reads) expect(await refusal(read())).toMatchObject({ code: 'not_found' });
    }
    const answers = await Promise.all([
      textOf(app, 'entries.list', {}),
      textOf(app, 'entries.search', { query: MARK }),
      textOf(app, 'entries.search', {}),
      textOf(app, 'entities.list', {}),
      textOf(app, 'patterns.list', {}),
      textOf(app, 'stats.read', {}),
      textOf(app, 'commits.list', {}),
      textOf(app, 'log.list', {}),
    ]);
    for (const answer of answers) expect(answer).not.toContain(MARK);
    expect(JSON.parse(answers[1] as string).entries).toEqual([]);
  });

  it('what was not meant is still there', async () => {
    expect(addresses((await app.call('entries.list', {})).entries)).toEqual(['people/other/mail']);
    expect(await app.call('entries.read', kept)).toMatchObject({ version: 2, value: 'kept too' });
    const { commits } = await app.call('commits.list', {});
    expect(commits.map((commit) => commit.message)).toEqual(['both']);
    const read = await app.call('commits.read', { commit_id: commits[0]?.commit_id as string });
    expect(read.entries.map((entry) => entry.entity_path)).toEqual(['people/other']);
  });

  it('the log keeps its numbers without a gap, and names the erasure', async () => {
    const { events, last_seq } = await app.call('log.list', { limit: 1000 });
    expect(events.map((event) => event.seq)).toEqual(Array.from({ length: last_seq }, (_, i) => i + 1));
    expect(last_seq).toBe(lastSeq + 1);
    expect(events.filter((event) => event.details.erased === true)).toHaveLength(7);
    expect(events.at(-1)).toMatchObject({
      event_type: 'erase',
      entity_path: null,
      details: { entries: 3, versions: 6 },
    });
  });

  it('the counts are those of what is left', async () => {
    expect((await app.call('entities.list', {})).entities).toMatchObject([
      { entity_path: 'people/other', entry_count: 1 },
    ]);
    expect((await app.call('patterns.list', {})).patterns).toMatchObject([
      { pattern_ref: 'shared-ref', usage_count: 1 },
    ]);
    expect(await app.call('stats.read', {})).toMatchObject({ total_entries: 1, total_entities: 1, total_patterns: 1 });
  });

  it('what is stored verifies', async () => {
    expect(await app.call('entries.verify', {})).toMatchObject({
      total_checked: 2,
      valid: 2,
      corrupted: [],
      chain_breaks: [],
    });
  });

  it('an answer that was stored for a retry is gone, and the retry writes nothing; a new request does', async () => {
    const write = { ...erasedKeys, value: `${MARK} one`, pattern_refs: [MARK, 'shared-ref'] };
    const again = app.call('entries.write', write, { idempotency_key: 'doomed write' });
    expect(await refusal(again)).toMatchObject({ code: 'answer_erased', status: 410, idempotency_key: 'doomed write' });
    expect(await refusal(app.call('entries.history', erasedKeys))).toMatchObject({ code: 'not_found' });
    const afterwards = await app.call('entries.write', write, { idempotency_key: 'another' });
    expect(afterwards).toMatchObject({ version: 1, unchanged: false });
    expect((await app.call('entries.history', erasedKeys)).versions).toHaveLength(1);
  });

  it('everything can be erased, and the store goes on', async () => {
    const { erased } = await erase(false);
    expect(erased).toMatchObject({ entries: 2, commits: 1 });
    expect(await app.call('stats.read', {})).toMatchObject({
      total_entries: 0,
      total_entities: 0,
      total_agents: 0,
      total_patterns: 0,
      confidence_avg: null,
      oldest_entry_at: null,
    });
    expect(await countRows(app, 'versions')).toBe(0);
    expect(await app.call('entries.write', { ...kept, value: 'new', if_version: 0 })).toMatchObject({ version: 1 });
  });

  it('erasing what is not there erases nothing', async () => {
    const { erased } = await app.call('entries.erase', { entity_path: 'nobody/**' });
    expect(erased).toMatchObject({ entries: 0, versions: 0, log_events: 0, commits: 0 });
  });
});

describe.each(backends)('what an erasure reaches on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  const write = (entity_path: string, key: string, more: object = {}) =>
    app.call('entries.write', { entity_path, key, value: `${entity_path} ${key}`, ...more });
  const left = async (agent_id = 'agent/test') => addresses((await app.call('entries.list', {}, { agent_id })).entries);

  it('one key of a path, and the rest of the path stands as it did', async () => {
    await write('x/path', 'first', { agent_id: 'agent/old' });
    app.clock.advance(1000);
    const newest = iso(app.clock.now());
    await write('x/path', 'second', { confidence: 0.5, agent_id: 'agent/new' });
    app.clock.advance(1000);
    await app.call('entries.erase', { entity_path: 'x/path', key: 'first' });
    expect((await app.call('entities.list', {})).entities).toEqual([
      { entity_path: 'x/path', entry_count: 1, avg_confidence: 0.5, last_updated: newest, last_agent: 'agent/new' },
    ]);
    await write('x/path', 'third', { agent_id: 'agent/newest' });
    await app.call('entries.erase', { entity_path: 'x/path', key: 'third' });
    expect((await app.call('entities.list', {})).entities).toMatchObject([
      { last_updated: newest, last_agent: 'agent/new' },
    ]);
  });

  it.each([
    ['y/a', ['y/a/b/k', 'y/ab/k']],
    ['y/a/*', ['y/a/k', 'y/ab/k']],
    ['y/**', []],
  ])('the glob %s', async (entity_path, expected) => {
    for (const path of ['y/a', 'y/a/b', 'y/ab']) await write(path, 'k');
    await app.call('entries.erase', { entity_path });
    expect((await left()).filter((address) => address.startsWith('y'))).toEqual(expected);
  });

  it('nothing that is private to another agent', async () => {
    await write('z', 'public');
    await write('z', 'private', { shared: false, agent_id: 'agent/owner' });
    const { erased } = await app.call('entries.erase', { entity_path: 'z' });
    expect(erased.entries).toBe(1);
    expect(
      await app.call('entries.read', { entity_path: 'z', key: 'private' }, { agent_id: 'agent/owner' }),
    ).toMatchObject({
      version: 1,
    });
    expect((await app.call('entities.list', { entity_path: 'z' }, { agent_id: 'agent/owner' })).entities).toMatchObject(
      [{ entry_count: 1 }],
    );
    await app.call('entries.erase', { entity_path: 'z', agent_id: 'agent/owner' });
    expect(await left('agent/owner')).not.toContain('z/private');
  });
});
