import { operationNames, operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { backends, openTestApp, type TestApp, useServer } from '../support/app.ts';
import { get, post, remove } from '../support/hosted.ts';
import { type HttpRequest, send } from '../support/wire.ts';

/** What lists below something that has to be there is in tests/contract/refusals.test.ts. */
const paged = operationNames.filter(
  (name) =>
    'cursor' in (operations[name].input as z.ZodObject).shape &&
    !/\{(?!entity_path|key|agent_id)/.test(operations[name].http.path),
);
const DAY_MS = 86_400_000;

describe.each(backends)('what a request may say on %s', (backend) => {
  const server = useServer(backend);
  const ask = (sent: HttpRequest, headers: Record<string, string> = {}) => send(server.url, { ...sent, headers });
  const write = (key: string, value: unknown, headers?: Record<string, string>) =>
    ask(post('/api/v1/entries', { entity_path: 'svc/any', key, value }), headers);

  it('If-Match: * writes to an entry at whatever version, and only if there is one', async () => {
    const any = { 'if-match': '*' };
    const missing = await write('k', 1, any);
    expect(missing.status).toBe(409);
    expect(missing.json).toMatchObject({ code: 'version_conflict', current_version: 0, key: 'k' });
    for (const value of [1, 2]) await write('k', value);
    expect((await write('k', 3, any)).json).toMatchObject({ version: 3 });
    expect((await ask(remove('/api/v1/entries/svc/any/k'), any)).status).toBe(200);
    expect((await write('k', 4, any)).status).toBe(409);
    expect((await ask(remove('/api/v1/entries/svc/any/k'), any)).status).toBe(404);
    const restore = { entity_path: 'svc/any', key: 'k', version: 1 };
    expect((await ask(post('/api/v1/restore', restore), any)).status).toBe(409);
    expect((await ask(post('/api/v1/restore', restore))).status).toBe(201);
    expect((await ask(post('/api/v1/restore', { ...restore, version: 2 }), any)).status).toBe(201);
  });

  it('If-None-Match: * writes only where there is no entry', async () => {
    const none = { 'if-none-match': '*' };
    const first = await write('new', 1, none);
    expect(first).toMatchObject({ status: 201, json: { version: 1 } });
    const second = await write('new', 2, none);
    expect(second).toMatchObject({ status: 409, json: { code: 'version_conflict', current_version: 1 } });
    expect((await ask(get('/api/v1/entries/svc/any/new'))).json).toMatchObject({ version: 1, value: 1 });
    expect((await ask(get('/api/v1/entries/svc/any/new'), none)).status).toBe(304);
  });

  it('if_exists says the same in a body, also within a commit', async () => {
    const draft = { entity_path: 'svc/exists', key: 'k', value: 1, if_exists: true };
    expect((await ask(post('/api/v1/entries', draft))).status).toBe(409);
    const commit = (writes: object[]) => ask(post('/api/v1/commits', { writes }));
    expect((await commit([{ ...draft, key: 'other', if_exists: false }, draft])).status).toBe(409);
    expect((await ask(get('/api/v1/entries/svc/exists/other'))).status).toBe(404);
    expect((await ask(post('/api/v1/entries', { ...draft, if_exists: false }))).status).toBe(201);
    expect((await commit([{ ...draft, value: 2 }])).status).toBe(201);
  });

  it.each(paged)('an empty cursor of %s is 400', async (name) => {
    await write('listed', 1);
    const example = operations[name].example(0) as object;
    const input = name === 'entries.history' ? { entity_path: 'svc/any', key: 'listed' } : example;
    for (const cursor of ['', 'x']) {
      const refused = server.app.call(name, { ...input, cursor } as never, { control: true });
      await expect(refused).rejects.toMatchObject({ code: 'invalid_cursor', status: 400 });
    }
  });

  it('a day in since begins at its start and a day in until ends with it, in UTC', async () => {
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    // The clock of the tests begins at midnight.
    const first = server.app.clock.now() + 30 * DAY_MS;
    server.app.clock.advance(30 * DAY_MS);
    for (const key of ['first', 'last']) {
      await server.app.call('entries.write', { entity_path: 'svc/days', key, value: key });
      server.app.clock.advance(DAY_MS - 1);
    }
    await server.app.call('entries.write', { entity_path: 'svc/days', key: 'next', value: 1 });
    const keys = async (query: string) => {
      const { json } = await ask(get(`/api/v1/entries?entity_path=svc/days&${query}`));
      return (json.entries as { key: string }[] | undefined)?.map(({ key }) => key).sort();
    };
    expect(await keys(`since=${day(first)}&until=${day(first)}`)).toEqual(['first', 'last']);
    expect(await keys(`since=${day(first + DAY_MS)}`)).toEqual(['next']);
    expect(await keys(`until=${day(first - DAY_MS)}`)).toEqual([]);
    expect(await keys('since=2000-01-01&until=9999-12-31')).toEqual(['first', 'last', 'next']);
    // A time is a time: before it, and not the whole day.
    expect(await keys(`until=${new Date(first + 1).toISOString()}`)).toEqual(['first']);
    const { json } = await ask(get(`/api/v1/agents/x/activity?since=${day(first)}`));
    expect(json.code).toBeUndefined();
  });

  it.each(['2026-02-30', '2026-13-01', '2026-1-1', 'yesterday', '2026-11-15T10:00:00', '20261115', ''])(
    'since=%s is neither, and is refused with what is',
    async (since) => {
      for (const list of ['entries', 'search', 'traces', 'outcomes', 'admin/audit']) {
        const { status, json } = await ask(get(`/api/v1/${list}?since=${since}`));
        expect({ list, status }).toEqual({ list, status: 422 });
        expect(json.errors).toEqual([
          {
            path: 'since',
            message: 'must be a time with its offset such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31',
          },
        ]);
      }
    },
  );
});

describe('a refusal of input', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
  });
  afterAll(() => app.close());

  const at = { entity_path: 'a', key: 'k' };
  it.each([
    ['entries.write', { ...at, value: 1, confidence: 2 }, 'confidence: must be at most 1'],
    ['entries.write', { ...at, value: 1, confidence: -1 }, 'confidence: must be at least 0'],
    ['entries.write', { ...at, value: 1, confidence: 'high' }, 'confidence: must be a number, not text'],
    [
      'entries.write',
      { ...at, value: 1, memory_type: 'idea' },
      'memory_type: must be one of fact, belief, experience, procedure',
    ],
    ['entries.write', { key: 'k', value: 1 }, 'entity_path: is required'],
    ['entries.write', at, 'value: is required'],
    ['entries.write', { ...at, entity_path: 7, value: 1 }, 'entity_path: must be text, not a number'],
    ['entries.write', { ...at, value: 1, shared: 'yes' }, 'shared: must be true or false, not text'],
    ['entries.write', { ...at, value: 1, if_version: 1.5 }, 'if_version: must be a whole number, not a number'],
    ['entries.write', { ...at, value: 1, pattern_refs: 'x' }, 'pattern_refs: must be a list, not text'],
    ['entries.write', { ...at, value: 1, ttl_at: 'soon' }, 'ttl_at: must be a time with its offset such as'],
    ['entries.write', { ...at, value: 1, ttl_seconds: 0 }, 'ttl_seconds: must be above 0'],
    ['entries.write', { ...at, value: 1, colour: 'red' }, 'colour: is not a known field'],
    ['entries.write', null, 'input: must be an object, not null'],
    ['commits.create', { writes: [] }, 'writes: must not be empty'],
    ['commits.create', { writes: [{ ...at }] }, 'writes.0.value: is required'],
    [
      'commits.create',
      { writes: [{ ...at, value: 1 }], message: 'x'.repeat(5000) },
      'message: must not be longer than',
    ],
    ['entries.list', { limit: 0 }, 'limit: must be at least 1'],
    ['entries.list', { limit: 5000 }, 'limit: must be at most 1000'],
    ['entries.search', { query: 'x'.repeat(5000) }, 'query: must not be longer than 4096 characters'],
    ['outcomes.commit', { outcome_ref: '', outcome_type: 'success' }, 'outcome_ref: must not be empty'],
    ['outcomes.commit', { outcome_ref: 'x', outcome_type: 'good' }, 'outcome_type: must be one of success, minor_fail'],
    ['usage.read', { from: 'today' }, 'from: must be a day such as 2026-01-31'],
  ] as const)('%s %j says %s', async (name, input, message) => {
    await expect(app.call(name, input as never)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(message),
    });
  });
});
