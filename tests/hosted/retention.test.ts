import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dump, rowsOf } from '../contract/dump.ts';
import { backends, fakeClock } from '../support/app.ts';
import { get, type Hosted, openHosted, post } from '../support/hosted.ts';
import type { HttpRequest } from '../support/wire.ts';

const RETENTION = '/api/v1/admin/retention';
const DAY_MS = 86_400_000;
const PAYLOAD_TEXT = 'zqvxspoken';

const put = (body: object): HttpRequest => ({ method: 'PUT', path: RETENTION, body: JSON.stringify(body) });
const inSession = (session: string, sent: HttpRequest): HttpRequest => ({
  ...sent,
  headers: { 'x-mem-agent-id': 'agent/a', 'x-mem-session-id': session },
});

describe.each(backends)('how long an account keeps traces, on %s', (backend) => {
  let service: Hosted;
  let admin: string;
  let account_id: string;
  const clock = fakeClock();
  let round = 0;

  /** A session that reads, says something and ends. */
  async function trace(session: string): Promise<string> {
    const send = (sent: HttpRequest) => service.as(admin, inSession(session, sent));
    await send(get('/api/v1/entries/shop/cart/k'));
    await send(post('/api/v1/context', { label: 'note', summary: `${PAYLOAD_TEXT} context` }));
    const { status, text, json } = await send(
      post('/api/v1/outcomes', {
        outcome_ref: `ref-${++round}`,
        outcome_type: 'success',
        task_input: `${PAYLOAD_TEXT} task`,
        response_text: `${PAYLOAD_TEXT} answer`,
        decision_summary: 'done',
      }),
    );
    expect(status, text).toBeLessThan(300);
    return json.trace_id as string;
  }
  const verify = async () => (await service.as(admin, post('/api/v1/traces/verify', {}))).json;
  const read = (id: string) => service.as(admin, get(`/api/v1/traces/${id}`));
  const traceTables = async () => {
    const { traces = [], trace_items = [] } = await dump(service.app, account_id);
    return [...traces, ...trace_items].join('\n');
  };

  beforeAll(async () => {
    service = await openHosted(backend, { app: { clock } });
    ({ key: admin, account_id } = await service.newAccount());
    await service.as(admin, post('/api/v1/entries', { entity_path: 'shop/cart', key: 'k', value: 1 }));
  });
  afterAll(() => service.close());

  it('is for ever unless said', async () => {
    expect((await service.as(admin, get(RETENTION))).json).toMatchObject({ traces_days: null, payloads_days: null });
    const id = await trace('kept');
    clock.advance(4000 * DAY_MS);
    await service.app.jobs.sweep();
    expect((await read(id)).json).toMatchObject({ task_input: `${PAYLOAD_TEXT} task` });
  });

  it('what was said goes from traces that are old, and the rest can be verified', async () => {
    const old = await trace('spoken');
    clock.advance(31 * DAY_MS);
    const young = await trace('spoken');
    const { json } = await service.as(admin, put({ payloads_days: 30 }));
    expect(json).toMatchObject({ traces_days: null, payloads_days: 30 });
    await service.app.jobs.sweep();
    expect((await read(old)).json).toMatchObject({ task_input: null, response_text: null, decision_summary: 'done' });
    expect((await read(old)).text).toContain('shop/cart');
    expect((await read(old)).text).not.toContain(PAYLOAD_TEXT);
    expect((await read(young)).json).toMatchObject({ task_input: `${PAYLOAD_TEXT} task` });
    expect((await traceTables()).split(PAYLOAD_TEXT).length - 1).toBeGreaterThan(0);
    expect(await verify()).toMatchObject({ problems: [] });
    const found = await service.as(admin, get(`/api/v1/traces?query=${PAYLOAD_TEXT}`));
    expect((found.json.traces as { trace_id: string }[]).map(({ trace_id }) => trace_id)).toEqual([young]);
  });

  it('traces that are old go as a whole, and their sessions go on', async () => {
    const old = await trace('ends');
    clock.advance(91 * DAY_MS);
    await service.as(admin, put({ traces_days: 90 }));
    await service.app.jobs.sweep();
    expect((await read(old)).status).toBe(404);
    expect(await traceTables()).not.toContain(PAYLOAD_TEXT);
    const next = await trace('ends');
    expect((await read(next)).json).toMatchObject({ task_input: `${PAYLOAD_TEXT} task` });
    expect(await verify()).toMatchObject({ problems: [] });
    const again = await trace('ends');
    clock.advance(91 * DAY_MS);
    await trace('ends');
    await service.app.jobs.sweep();
    expect((await read(again)).status).toBe(404);
    expect(await verify()).toMatchObject({ total_checked: 1, problems: [] });
  });

  it('a trace that is changed is found out, also after one before it is gone', async () => {
    const { database } = service.app.kernel.services;
    const { sql } = await import('../../packages/server/src/db/index.ts');
    const set = (hash: string) =>
      database.alter((tx) => tx.run(sql`UPDATE trace_ends SET hash = ${hash} WHERE account_id = ${account_id}`));
    const ends = rowsOf(await dump(service.app, account_id), 'trace_ends');
    expect(ends.length).toBeGreaterThan(0);
    await set('0'.repeat(64));
    expect(((await verify()).problems as { reason: string }[]).map(({ reason }) => reason)).toEqual(['chain_broken']);
    const own = ends.find(({ session }) => String(session).startsWith('ends')) as { hash: string };
    await set(own.hash);
    expect(await verify()).toMatchObject({ problems: [] });
  });

  it('what is removed, and who said so, stands in the audit trail', async () => {
    const { json } = await service.as(admin, get('/api/v1/admin/audit?limit=1000'));
    const actions = (json.entries as { action: string; actor: string }[]).map(({ action, actor }) => [action, actor]);
    expect(actions).toContainEqual(['retention.set', expect.stringMatching(/^key\//)]);
    expect(actions).toContainEqual(['retention.traces', 'system']);
    expect(actions).toContainEqual(['retention.payloads', 'system']);
    expect((await service.as(admin, get('/api/v1/admin/audit/verify'))).json).toMatchObject({ problems: [] });
  });

  it('goes on for others while an account that is deleted has not gone yet', async () => {
    const erased = await service.newAccount({ name: 'Doomed' });
    await service.as(erased.key, post('/api/v1/outcomes', { outcome_ref: 'r', outcome_type: 'success' }));
    await service.as(erased.key, put({ traces_days: 1 }));
    const { database, clock: now } = service.app.kernel.services;
    const { sql } = await import('../../packages/server/src/db/index.ts');
    const old = await trace('beside');
    clock.advance(91 * DAY_MS);
    await database.transaction((tx) =>
      tx.run(
        sql`UPDATE accounts SET deleted_at = ${now.now()}, purged_at = ${now.now()} WHERE account_id = ${erased.account_id}`,
      ),
    );
    await service.app.jobs.sweep();
    expect((await read(old)).status).toBe(404);
  });

  it('what has nothing to do leaves no line', async () => {
    const count = async () => rowsOf(await dump(service.app, account_id), 'audit').length;
    const before = await count();
    await service.app.jobs.sweep();
    expect(await count()).toBe(before);
  });

  it('is for admins of the whole account, and for its own alone', async () => {
    const { key } = await service.newKey(admin);
    expect((await service.as(key, get(RETENTION))).status).toBe(403);
    const other = await service.newAccount({ name: 'Other' });
    expect((await service.as(other.key, get(RETENTION))).json).toMatchObject({ traces_days: null });
    for (const traces_days of [0, -1, 1.5, '7'])
      expect((await service.as(admin, put({ traces_days }))).status).toBe(422);
  });
});
