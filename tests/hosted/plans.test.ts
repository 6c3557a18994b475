import type { Output } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UsagePlan } from '../../packages/server/src/kernel/index.ts';
import { backends } from '../support/app.ts';
import { get, type Hosted, type NewAccount, openHosted, patch, post, remove, write } from '../support/hosted.ts';
import type { HttpAnswer } from '../support/wire.ts';

const UNLIMITED = { ops_per_month: null };
const PLANS: Record<string, UsagePlan> = {
  large: UNLIMITED,
  bytes: { ...UNLIMITED, storage_bytes: 20_000 },
  entries: { ...UNLIMITED, storage_entries: 3 },
  open: { ...UNLIMITED, open_sessions: 2, open_streams: 1 },
  slow: { ...UNLIMITED, key_rate_rpm: 5, rate_rpm: 8 },
};

const PROFILE =
  'agent_id description platform default_branch auto_context_paths tags session_metadata capabilities contracts'.split(
    ' ',
  );

const BIG = 'b'.repeat(6_000);

const refused = (limit: string) => ({ status: 402, json: expect.objectContaining({ code: 'over_limit', limit }) });

describe.each(backends)('a plan on %s', (backend) => {
  let service: Hosted;

  beforeAll(async () => {
    const settings = { plans: PLANS, upgrade_url: 'https://mem.example/upgrade' };
    service = await openHosted(backend, { app: { settings, rateLimits: true } });
  });
  afterAll(() => service.close());

  const account = (plan: string): Promise<NewAccount> => service.newAccount({ plan });
  const limitsOf = async ({ key }: Pick<NewAccount, 'key'>) =>
    (await service.as(key, get('/api/v1/me'))).json.limits as Output<'me.read'>['limits'];
  const all = (answers: HttpAnswer[]) => answers.map(({ status }) => status);

  /** What is stored, counted from the tables. */
  async function counted({ account_id }: NewAccount) {
    const { database } = service.app.kernel.services;
    const { read } = database.forAccount(account_id);
    const sum = async (table: string, column: string) => {
      const text = `SELECT CAST(coalesce(sum(octet_length(${column})), 0) AS BIGINT) AS n FROM ${table.includes(' ') ? table : `${table} WHERE`} account_id = ?`;
      return (await read.get<{ n: number }>({ text, values: [account_id] }))?.n ?? 0;
    };
    const count = async (from: string) => {
      const text = `SELECT count(*) AS n FROM ${from} AND account_id = ?`;
      return (await read.get<{ n: number }>({ text, values: [account_id] }))?.n ?? 0;
    };
    const parts = [
      await sum('versions', 'document'),
      await sum('trace_items', 'data'),
      await sum('traces', 'header'),
      await sum('session_items', 'data'),
      await sum('import_lines', 'line'),
      ...(await Promise.all(
        ['source', 'relation', 'target'].map((column) => sum("edges WHERE relation = 'knows' AND", column)),
      )),
      ...(await Promise.all(PROFILE.map((column) => sum('agent_profiles', column)))),
      await sum('tags', 'name'),
      await sum('tags', 'description'),
    ];
    return {
      bytes: parts.reduce((total, n) => total + n, 0),
      entries: await count('entries WHERE deleted = 0'),
      sessions: await count('sessions WHERE true'),
    };
  }

  async function expectExact(owner: NewAccount) {
    await service.app.kernel.services.noteBuffer.flushAll();
    const { storage_bytes, storage_entries, open_sessions } = await limitsOf(owner);
    expect({ bytes: storage_bytes.used, entries: storage_entries.used, sessions: open_sessions.used }).toEqual(
      await counted(owner),
    );
  }

  it('bounds bytes: history counts, refusals name the plan, and deleting, erasing and reading go on', async () => {
    const owner = await account('bytes');
    const { key } = owner;
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await service.as(key, write('a', 'k', `${i}${BIG}`)));
    expect(all(answers)).toEqual([201, 201, 201, 402]);
    expect(answers.at(-1)).toMatchObject(refused('storage_bytes'));
    expect(answers.at(-1)?.json).toMatchObject({ allowed: 20_000, upgrade_url: 'https://mem.example/upgrade' });
    await expectExact(owner);
    const ways = [
      post('/api/v1/commits', { writes: [{ entity_path: 'a', key: 'c', value: BIG }] }),
      post('/api/v1/traces', { task_input: BIG, response_text: BIG }),
      post('/api/v1/context', { label: 'x', summary: BIG }),
      post('/api/v1/import/entries', { source: 'x', entries: [{ entity_path: 'a', key: 'i', value: BIG }] }),
    ];
    for (const way of ways) {
      const answer = await service.as(key, way);
      expect([way.path, answer.status, answer.json?.code]).toEqual([way.path, 402, 'over_limit']);
    }
    expect((await service.as(key, get('/api/v1/entries/a/k'))).status).toBe(200);
    expect((await service.as(key, remove('/api/v1/entries/a/k'))).status).toBe(200);
    expect((await service.as(key, write('a', 'k', BIG))).status).toBe(402);
    expect((await service.as(key, post('/api/v1/erase', { entity_path: 'a' }))).status).toBe(200);
    expect((await service.as(key, write('a', 'k', BIG))).status).toBe(201);
    await expectExact(owner);
  });

  it('bounds what outcomes bring themselves; what was recorded before is sealed, also in a full account', async () => {
    const owner = await account('bytes');
    const { key } = owner;
    let n = 0;
    const commit = (more: object = {}) =>
      service.as(key, post('/api/v1/outcomes', { outcome_ref: `o${++n}`, outcome_type: 'success', ...more }));
    await service.as(key, post('/api/v1/context', { label: 'x', summary: 'recorded' }));
    const many = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        service.as(key, {
          ...post('/api/v1/outcomes', { outcome_ref: `m${i}`, outcome_type: 'success', task_input: BIG }),
          headers: { 'x-mem-session-id': `s${i}` },
        }),
      ),
    );
    expect(all(many).sort()).toEqual([201, 201, 201, 402, 402]);
    expect(await commit({ response_text: BIG })).toMatchObject(refused('storage_bytes'));
    const action = { tool_name: 't', arguments: { text: BIG }, result_summary: '' };
    expect(await commit({ tool_calls: [action] })).toMatchObject(refused('storage_bytes'));
    const kept = await commit();
    expect(kept.status).toBe(201);
    const trace = await service.as(key, get(`/api/v1/traces/${kept.json.trace_id}`));
    expect(trace.text).toContain('recorded');
    await expectExact(owner);
  });

  it('keeps an outcome without its lesson where there is no room for an entry', async () => {
    const named = (name: string) => [{ entity_path: 'full', key: name }];
    const outcome = post('/api/v1/outcomes', {
      outcome_ref: 'learned',
      outcome_type: 'success',
      causal_entry_keys: named('a'),
      attempts: [{ outcome_type: 'failure', summary: 'wrong', causal_entry_keys: named('b') }],
    });
    for (const [plan, lesson] of [
      ['large', expect.objectContaining({ version: 1 })],
      ['entries', null],
    ]) {
      const owner = await account(plan);
      for (const name of ['a', 'b', 'c']) await service.as(owner.key, write('full', name));
      expect(await service.as(owner.key, outcome)).toMatchObject({ status: 201, json: { lesson } });
      await expectExact(owner);
    }
  });

  it('bounds entries, also for writes that arrive together, and a smaller plan refuses writes', async () => {
    const owner = await account('entries');
    const { key, account_id } = owner;
    const together = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => service.as(key, write('many', name))));
    expect(all(together).sort()).toEqual([201, 201, 201, 402, 402]);
    await expectExact(owner);
    expect((await service.as(key, write('many', 'f'))).json).toMatchObject({ limit: 'storage_entries', used: 3 });
    const { entries } = (await service.as(key, get('/api/v1/entries?entity_path=many'))).json;
    const [first] = entries as { key: string }[];
    expect((await service.as(key, write('many', first?.key, 2))).status).toBe(201);
    expect((await service.as(key, remove(`/api/v1/entries/many/${first?.key}`))).status).toBe(200);
    expect((await service.as(key, write('many', 'f'))).status).toBe(201);
    const change = (plan: string) => service.control(patch(`/api/v1/internal/accounts/${account_id}`, { plan }));
    await change('large');
    for (const name of ['g', 'h']) expect((await service.as(key, write('many', name))).status).toBe(201);
    await change('entries');
    expect((await service.as(key, write('many', 'g', 2))).status).toBe(402);
    expect((await service.as(key, get('/api/v1/entries/many/g'))).status).toBe(200);
    await expectExact(owner);
  });

  it('counts exactly through outcomes, traces, erasures and imports', async () => {
    const owner = await account('large');
    const { key, account_id } = owner;
    const as = (sent: Parameters<Hosted['as']>[1], agent: string, session: string) =>
      service.as(key, { ...sent, headers: { 'x-mem-agent-id': agent, 'x-mem-session-id': session } });
    for (const agent of ['one', 'two'])
      for (const session of ['s1', 's2', 's3']) {
        await as(write(`of/${agent}`, session, `grüße ${session}`), agent, session);
        await as(get(`/api/v1/entries/of/one/s1`), agent, session);
        await as(post('/api/v1/search', { query: 'grüße' }), agent, session);
        await as(post('/api/v1/context', { label: 'ü', summary: 'context' }), agent, session);
        if (session !== 's3')
          await as(
            post('/api/v1/outcomes', { outcome_ref: `${agent}-${session}`, outcome_type: 'success' }),
            agent,
            session,
          );
      }
    await expectExact(owner);
    expect((await limitsOf(owner)).open_sessions.used).toBe(2);
    await service.as(key, post('/api/v1/erase', { entity_path: 'of/one', key: 's1' }));
    await expectExact(owner);
    await service.control(get(`/api/v1/internal/accounts/${account_id}/export`));
    const erased = await service.as(key, post('/api/v1/admin/agents/two/erase', { with_others: true }));
    expect([200, 201]).toContain(erased.status);
    await expectExact(owner);
  });

  it('says what is stored with the rooms of the account, which bounds writes in them', async () => {
    const owner = await account('bytes');
    const { key } = owner;
    const { storage_bytes: own, storage_bytes_with_rooms: together } = await limitsOf(owner);
    expect(together).toEqual(own);
    const { room_id } = (await service.as(key, post('/api/v1/rooms', { name: 'Release', label: 'crew' }))).json;
    const inRoom = (name: string) => service.as(key, write(`@${room_id}/plan`, name, BIG));
    expect(all([await inRoom('a'), await inRoom('b'), await service.as(key, write('own', 'k', BIG))])).toEqual([
      201, 201, 201,
    ]);
    const { limits, warnings } = (await service.as(key, get('/api/v1/me'))).json as Output<'me.read'>;
    expect(limits.storage_bytes.used).toBeLessThan(7_500);
    expect(limits.storage_bytes_with_rooms).toMatchObject({ limit: 20_000 });
    expect(limits.storage_bytes_with_rooms.used).toBeGreaterThan(18_000);
    expect(limits.storage_entries_with_rooms.used).toBe((limits.storage_entries.used ?? 0) + 2);
    expect(warnings).toEqual([
      `${limits.storage_bytes_with_rooms.used} of the 20000 bytes of the plan are stored, with the rooms.`,
    ]);
    expect(await inRoom('c')).toMatchObject(refused('storage_bytes'));
    const part = await service.newKey(key, { key_type: 'agent', scopes: [{ pattern: 'own/**', permission: 'READ' }] });
    expect((await limitsOf(part)).storage_bytes_with_rooms).toEqual({ used: null, limit: 20_000 });
  });

  it('counts profiles, tags and edges, exactly when they are replaced and erased', async () => {
    const owner = await account('bytes');
    const { key } = owner;
    const long = 'd'.repeat(900);
    const as = (agent: string, sent: Parameters<Hosted['as']>[1]) =>
      service.as(key, { ...sent, headers: { 'x-mem-agent-id': agent } });
    const profile = (agent: string, description: string) =>
      as('one', { ...post(`/api/v1/agents/${agent}/profile`, { description }), method: 'PUT' });
    const edge = { source_type: 'agent', source: 'one', relation: 'knows', target_type: 'pattern' };
    const link = (target: string) => as('one', post('/api/v1/graph/edges', { ...edge, target }));
    const tag = (name: string) => as('two', post('/api/v1/tags', { name, description: long }));
    expect(all([await profile('one', long), await profile('two', 'ü'), await profile('one', 'less')])).toEqual([
      200, 200, 200,
    ]);
    expect(all([await link(long), await link(long), await link('q'), await tag('one')])).toEqual([201, 200, 201, 201]);
    await expectExact(owner);
    const { used } = (await limitsOf(owner)).storage_bytes;
    expect((await as('three', write('fill', 'k', 'x'.repeat(20_000 - (used ?? 0) - 700)))).status).toBe(201);
    const refusals = [
      await profile('one', long),
      await profile('three', long),
      await link(`${long}`.slice(1)),
      await tag('two'),
    ];
    for (const refusal of refusals) expect(refusal).toMatchObject(refused('storage_bytes'));
    expect((await profile('one', 'l')).status).toBe(200);
    await expectExact(owner);
    for (const agent of ['one', 'two']) {
      await service.as(key, post(`/api/v1/admin/agents/${agent}/erase`, { with_others: true }));
      await expectExact(owner);
    }
    expect((await tag('three')).status).toBe(201);
  });

  it('bounds sessions and streams that are open at once', async () => {
    const { key } = await account('open');
    const record = (session: string) =>
      service.as(key, {
        ...post('/api/v1/context', { label: 'x', summary: 'y' }),
        headers: { 'x-mem-session-id': session },
      });
    expect(all([await record('s1'), await record('s2')])).toEqual([201, 201]);
    const third = await record('s3');
    expect(third).toMatchObject({ status: 429, json: { code: 'too_many_open', limit: 'open_sessions', allowed: 2 } });
    expect(third.headers.get('retry-after')).toBe('5');
    await service.as(key, {
      ...post('/api/v1/outcomes', { outcome_ref: 'x', outcome_type: 'success' }),
      headers: { 'x-mem-session-id': 's1' },
    });
    expect((await record('s3')).status).toBe(201);

    const ended = new AbortController();
    const open = () =>
      fetch(`${service.server.url}/api/v1/stream`, { headers: { 'x-mem-api-key': key }, signal: ended.signal });
    const first = await open();
    expect(first.status).toBe(200);
    const second = await open();
    expect([second.status, ((await second.json()) as { code: string }).code]).toEqual([429, 'too_many_open']);
    expect((await limitsOf({ key })).open_streams).toEqual({ used: 1, limit: 1 });
    ended.abort();
  });

  it('bounds the rate of a key and of all keys, which no key can raise', async () => {
    const { key: admin } = await account('slow');
    const more = await service.as(admin, post('/api/v1/admin/api-keys', { name: 'fast', rate_limit_rpm: 6 }));
    expect(more).toMatchObject(refused('key_rate_rpm'));
    const { key } = await service.newKey(admin, { rate_limit_rpm: undefined });
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await service.as(key, get('/api/v1/me')));
    expect(all(answers)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers[4]?.json.limits).toMatchObject({
      key_rate_rpm: { used: 5, limit: 5 },
      rate_rpm: { used: 7, limit: 8 },
    });
    expect(answers[4]?.json.key).toMatchObject({ rate_limit_rpm: 5 });
    expect((await service.as(admin, get('/api/v1/me'))).status).toBe(200);
    const last = await service.as(admin, get('/api/v1/me'));
    expect(last).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
    expect(last.json.detail).toContain('all keys of the account together may make 8 requests a minute');
  });

  it('shows the rate of a key that is enforced, also where the plan came later', async () => {
    const { key: admin, account_id } = await account('large');
    const { key } = await service.newKey(admin, { rate_limit_rpm: 100 });
    const rate = async () =>
      ((await service.as(key, get('/api/v1/me'))).json.key as { rate_limit_rpm: number }).rate_limit_rpm;
    expect(await rate()).toBe(100);
    await service.control(patch(`/api/v1/internal/accounts/${account_id}`, { plan: 'slow' }));
    expect(await rate()).toBe(5);
  });
});
