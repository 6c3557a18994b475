import { describe, expect, it, onTestFinished } from 'vitest';
import { dump } from '../../../tests/contract/dump.ts';
import { backends, newPlace } from '../../../tests/support/app.ts';
import { get, openHosted, patch, post, remove, write } from '../../../tests/support/hosted.ts';
import type { HttpRequest } from '../../../tests/support/wire.ts';
import { modules } from '../src/index.ts';

const AGENT = 'agent/doomed';
const eraseAgent = post(`/api/v1/admin/agents/${AGENT}/erase`, {});
const eraseEntries = post('/api/v1/erase', { entity_path: 'a' });
/** Modules with tables, in the order in which they are loaded. */
const ABSENT = [
  'branches',
  'merges',
  'pull-requests',
  'tags',
  'quarantine',
  'teams',
  'access',
  'trace-navigation',
  'judges',
  'verdicts',
  'budgets',
  'backfills',
  'cases',
  'incidents',
  'behaviors',
  'alerts',
  'fixes',
  'patterns',
  'rooms',
  'negotiations',
  'room-documents',
];
const exportOwn = get('/api/v1/export');

describe.each(backends)('a store with tables of a module that is not installed, on %s', (backend) => {
  it('refuses what would miss them, changes nothing then, and goes on with the rest', async () => {
    const place = await newPlace(backend);
    onTestFinished(() => place.remove());
    const open = async (installed: typeof modules) => {
      const service = await openHosted(backend, { app: { place, modules: installed } });
      let closing: Promise<void> | undefined;
      const close = () => {
        closing ??= service.close();
        return closing;
      };
      onTestFinished(close);
      return { ...service, close };
    };
    const as = (sent: HttpRequest) => ({ ...sent, headers: { 'x-mem-agent-id': AGENT } });

    const first = await open(modules);
    const { account_id, key } = await first.newAccount();
    const ended = await first.newAccount();
    await first.as(key, as(write('a')));
    expect((await first.as(key, as(post('/api/v1/tags', { name: 'v1' })))).status).toBe(201);
    const path = `/api/v1/internal/accounts/${account_id}`;
    // Deleted, but not purged when the module goes.
    const { kernel } = first.app;
    await first.app.jobs.close();
    await first.control(remove(`/api/v1/internal/accounts/${ended.account_id}?force=true&name=Example`));
    const endedRows = await dump(first.app, ended.account_id);
    expect(kernel.services.absent_modules).toEqual([]);
    await first.close();

    const without = await open([]);
    expect(without.app.kernel.services.absent_modules).toEqual(ABSENT);
    await without.app.jobs.sweep();
    const { events } = await dump(without.app, ended.account_id);
    expect(events).toEqual(endedRows.events);
    const before = await dump(without.app, account_id);
    const refusals = [
      await without.as(key, eraseAgent),
      await without.as(key, eraseEntries),
      await without.as(key, exportOwn),
      await without.control(get(`${path}/export`)),
      await without.control(remove(`${path}?force=true&name=Example`)),
    ];
    for (const { status, json } of refusals)
      expect({ status, json }).toMatchObject({
        status: 404,
        json: {
          code: 'module_not_installed',
          module: ABSENT[0],
          detail: expect.stringContaining('@mem-service/pro, without MEM_PRO=off'),
        },
      });
    const after = await dump(without.app, account_id);
    for (const table of ['accounts', 'entries', 'events', 'audit']) expect(after[table]).toEqual(before[table]);
    expect((await without.as(key, write('b'))).status).toBeLessThan(300);
    expect((await without.as(key, get('/api/v1/entries/b/k'))).status).toBe(200);
    await without.close();

    const again = await open(modules);
    expect((await again.as(key, exportOwn)).text).toContain('"record":"tag"');
    for (const sent of [eraseAgent, eraseEntries]) expect((await again.as(key, sent)).status).toBe(200);
    expect((await again.as(key, get('/api/v1/tags'))).text).not.toContain(AGENT);
    await again.control(patch(path, { status: 'suspended' }));
    expect((await again.control(get(`${path}/export`))).text).toContain('"record":"tag"');
    expect((await again.control(remove(path))).status).toBe(200);
    await again.app.jobs.sweep();
    for (const id of [account_id, ended.account_id]) expect((await dump(again.app, id)).events ?? []).toEqual([]);
  });
});
