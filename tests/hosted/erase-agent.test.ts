import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dump } from '../contract/dump.ts';
import { rowsOf } from '../entries/support.ts';
import { backends, newPlace } from '../support/app.ts';
import { get, type Hosted, openHosted, post } from '../support/hosted.ts';
import type { HttpAnswer, HttpRequest } from '../support/wire.ts';

const NAME = 'zqvxdoomed7341';
const ERASED_AGENT = `agent/${NAME}`;
const OTHER = 'agent/other';

describe.each(backends)('erasing an agent on %s', (backend) => {
  let service: Hosted;
  let admin: string;
  let account_id: string;
  let receipt: HttpAnswer;

  const as = (agent: string, sent: HttpRequest, session = 's1') =>
    service.as(admin, { ...sent, headers: { 'x-mem-agent-id': agent, 'x-mem-session-id': session, ...sent.headers } });
  const did = async (answer: Promise<HttpAnswer>) => {
    const { status, text } = await answer;
    expect(status, text).toBeLessThan(300);
  };
  const write = (agent: string, entity_path: string, more: object = {}) =>
    as(agent, post('/api/v1/entries', { entity_path, key: 'k', value: `${entity_path} by ${agent}`, ...more }));
  const erase = (body: object = {}) => service.as(admin, post(`/api/v1/admin/agents/${ERASED_AGENT}/erase`, body));
  const tables = async () => Object.entries(await dump(service.app, account_id));
  /** Tables that still contain its name. */
  const speaking = async () =>
    (await tables()).filter(([, rows]) => rows.some((row) => row.includes(NAME))).map(([table]) => table);

  beforeAll(async () => {
    service = await openHosted(backend);
    ({ key: admin, account_id } = await service.newAccount());
    await did(write(ERASED_AGENT, 'own/shared'));
    await did(write(ERASED_AGENT, 'own/private', { shared: false }));
    await did(write(OTHER, 'theirs/alone'));
    await did(write(OTHER, 'theirs/touched'));
    await did(write(ERASED_AGENT, 'theirs/touched'));
    await did(write(OTHER, 'theirs/touched', { value: 'last word' }));
    await did(as(ERASED_AGENT, get('/api/v1/entries/theirs/alone/k')));
    await did(as(OTHER, get('/api/v1/entries/own/shared/k')));
    await did(as(ERASED_AGENT, post('/api/v1/context', { label: 'note', summary: `${NAME} context` })));
    await did(
      as(ERASED_AGENT, {
        ...post('/api/v1/outcomes', {
          outcome_ref: `${NAME}-ref`,
          outcome_type: 'success',
          task_input: `${NAME} task`,
          decision_summary: `${NAME} decided`,
        }),
        headers: { 'idempotency-key': 'of-the-doomed' },
      }),
    );
    await did(as(OTHER, post('/api/v1/outcomes', { outcome_ref: 'theirs', outcome_type: 'success' })));
    await did(as(ERASED_AGENT, get('/api/v1/entries/theirs/alone/k'), 'still open'));
    await did(
      service.as(admin, {
        method: 'PUT',
        path: `/api/v1/agents/${ERASED_AGENT}/profile`,
        body: JSON.stringify({ description: NAME }),
      }),
    );
  });
  afterAll(() => service.close());

  it('a dry run reports what would be erased, and changes nothing', async () => {
    const before = await tables();
    const { status, json } = await erase({ dry_run: true });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      receipt_id: null,
      left_with_others: 1,
      erased: { entries: 2, versions: 2, traces: 1 },
    });
    const but = (rows: [string, string[]][]) => rows.filter(([table]) => !/^(edges|usage_|rate_cells)/.test(table));
    expect(but(await tables())).toEqual(but(before));
  });

  it('takes all it alone wrote and did, and says so', async () => {
    receipt = await erase();
    expect(receipt.status).toBe(200);
    expect(receipt.json).toMatchObject({
      receipt_id: expect.any(String),
      erased: { entries: 2, outcomes: 1, traces: 1 },
      left_with_others: 1,
    });
    for (const path of ['own/shared', 'own/private'])
      expect((await as(ERASED_AGENT, get(`/api/v1/entries/${path}/k`))).status).toBe(404);
    // What it left in entries of others is all that is left.
    const left = (await speaking()).filter((table) => !['versions', 'entries'].includes(table));
    expect(left.filter((table) => !['sessions', 'session_items', 'agents'].includes(table))).toEqual([]);
  });

  it('with those of others, nothing speaks of it any more', async () => {
    expect((await erase({ with_others: true })).json).toMatchObject({ erased: { entries: 1 }, left_with_others: 0 });
    expect(await speaking()).toEqual([]);
    for (const table of ['sessions', 'session_reads', 'session_items', 'usage_days'])
      expect(JSON.stringify(await rowsOf(service.app, `SELECT * FROM ${table}`)), table).not.toContain(NAME);
    expect((await service.as(admin, get('/api/v1/admin/usage?limit=100'))).text).not.toContain(NAME);
  });

  it('others keep theirs, with the confidence that it gave', async () => {
    const { json } = await as(OTHER, get('/api/v1/entries/theirs/alone/k'));
    expect(json).toMatchObject({ value: `theirs/alone by ${OTHER}`, outcome_count: 1 });
    const story = await as(OTHER, get('/api/v1/entries/theirs/alone/k/confidence'));
    expect(story.text).toContain(`erased/${receipt.json.receipt_id}`);
  });

  it('the audit trail keeps a line without its name, and every chain verifies', async () => {
    const { json } = await service.as(admin, get('/api/v1/admin/audit?limit=1000'));
    const lines = json.entries as { agent_id: string; action: string; resource: string }[];
    expect(lines).toContainEqual(
      expect.objectContaining({ agent_id: `erased/${receipt.json.receipt_id}`, action: 'entries.write' }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ action: 'agents.erase', resource: receipt.json.receipt_id as string }),
    );
    for (const sent of [
      get('/api/v1/admin/audit/verify'),
      post('/api/v1/traces/verify', {}),
      post('/api/v1/verify', {}),
    ]) {
      const { status, json } = await service.as(admin, sent);
      expect(status).toBe(200);
      expect([json.problems, json.corrupted, json.chain_breaks].flat().filter(Boolean)).toEqual([]);
    }
  });

  it('is for admins of the whole account', async () => {
    const agent = await service.newKey(admin);
    const narrow = await service.newKey(admin, { key_type: 'admin', entity_paths: ['own/**'] });
    for (const { key } of [agent, narrow])
      expect((await service.as(key, post(`/api/v1/admin/agents/${OTHER}/erase`, {}))).status).toBe(403);
  });
});

describe('what is left of an erased agent', () => {
  it('in the files of SQLite: nothing', async () => {
    const place = await newPlace('sqlite');
    const service = await openHosted('sqlite', { app: { place } });
    const { key } = await service.newAccount();
    const headers = { 'x-mem-agent-id': ERASED_AGENT, 'x-mem-session-id': `${NAME}-session` };
    for (let i = 0; i < 20; i++) {
      const sent = post('/api/v1/entries', { entity_path: `p/${NAME}`, key: `k${i}`, value: `${NAME} ${i}` });
      await service.as(key, { ...sent, headers });
      await service.as(key, { ...get(`/api/v1/entries/p/${NAME}/k${i}`), headers });
      const outcome = { outcome_ref: `${NAME}-${i}`, outcome_type: 'success', task_input: `${NAME} asked ${i}` };
      await service.as(key, { ...post('/api/v1/outcomes', outcome), headers });
    }
    const { json } = await service.as(key, post(`/api/v1/admin/agents/${ERASED_AGENT}/erase`, {}));
    expect(json).toMatchObject({ erased: { entries: 20, traces: 20 } });
    await service.app.jobs.sweep();
    await service.close();
    const { dataDir } = place.options;
    const found = readdirSync(dataDir).filter((file) =>
      readFileSync(join(dataDir, file)).toString('latin1').toLowerCase().includes(NAME.slice(-10)),
    );
    expect(found).toEqual([]);
    await place.remove();
  });
});
