import { type Glob, parseGlob, type Request } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Principal } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { addresses, follow } from './support.ts';

describe.each(backends)('entries by their evidence on %s', (backend) => {
  let app: TestApp;
  const list = async (input: Request<'entries.list'>, as: object = {}) =>
    addresses((await app.call('entries.list', input, as)).entries);
  const write = (entity_path: string, key: string, fields: object = {}) =>
    app.call('entries.write', { entity_path, key, value: `${entity_path} ${key}`, confidence: 0.95, ...fields });
  let outcomes = 0;
  const judge = (outcome_type: 'success' | 'minor_failure', entry: string, agent_id = 'agent/judge') =>
    app.call(
      'outcomes.commit',
      { outcome_ref: `o-${outcomes++}`, outcome_type, causal_confidence: 0.3, causal_entry_keys: [entry] },
      { agent_id },
    );

  beforeAll(async () => {
    app = await openTestApp(backend);
    for (const key of ['held', 'doubted', 'split', 'new']) await write('a/b', key);
    for (const key of ['doubted', 'gone']) await write('c', key);
    await write('a', 'private', { shared: false });
    await judge('success', 'a/b/held');
    await judge('success', 'a/b/split');
    for (const entry of ['a/b/split', 'a/b/doubted', 'c/doubted', 'c/gone']) await judge('minor_failure', entry);
    await judge('minor_failure', 'a/private', 'agent/test');
    await app.call('entries.delete', { entity_path: 'c', key: 'gone' });
  });
  afterAll(() => app.close());

  const contested = ['a/b/doubted', 'a/b/split', 'a/private', 'c/doubted'];

  it('are listed by path, or newest first', async () => {
    const { entries } = await app.call('entries.list', { evidence_status: 'contested' });
    expect(addresses(entries)).toEqual(['a/private', 'a/b/doubted', 'a/b/split', 'c/doubted']);
    for (const entry of entries) expect(entry.evidence_status).toBe('contested');
    expect(await list({ evidence_status: 'contested', sort: 'recent' })).toEqual([
      'a/private',
      'c/doubted',
      'a/b/split',
      'a/b/doubted',
    ]);
    expect(await list({ evidence_status: 'validated' })).toEqual(['a/b/held']);
    expect(await list({ evidence_status: 'untested' })).toEqual(['a/b/new']);
  });

  it('are listed with other filters and without values', async () => {
    expect(await list({ evidence_status: 'contested', entity_path: 'a/**' })).toEqual(['a/b/doubted', 'a/b/split']);
    expect(await list({ evidence_status: 'contested', fields: 'meta', sort: 'recent', limit: 2 })).toEqual([
      'a/private',
      'c/doubted',
    ]);
  });

  it('come in pages', async () => {
    for (const sort of ['path', 'recent'] as const) {
      const pages = await follow((cursor) =>
        app.call('entries.list', { evidence_status: 'contested', sort, limit: 1, cursor }),
      );
      expect(addresses(pages.flatMap(({ entries }) => entries)).sort()).toEqual(contested);
    }
  });

  it('say nothing about what another agent may not see, nor about paths out of scope', async () => {
    const other = { agent_id: 'agent/other' };
    expect(await list({ evidence_status: 'contested' }, other)).toEqual(['a/b/doubted', 'a/b/split', 'c/doubted']);
    const key: Principal = { key_id: 'k', name: 'k', type: 'agent', read: [[parseGlob('c') as Glob]] };
    expect(await list({ evidence_status: 'contested' }, { ...other, key })).toEqual(['c/doubted']);
    expect(await list({ evidence_status: 'contested', sort: 'recent' }, { ...other, key })).toEqual(['c/doubted']);
  });

  it('are those of an earlier state, and of a branch', async () => {
    await app.call('branches.create', { name: 'try' });
    await write('c', 'doubted', { value: 'another value starts over' });
    expect(await list({ evidence_status: 'contested', entity_path: 'c' })).toEqual([]);
    expect(await list({ evidence_status: 'untested', entity_path: 'c' })).toEqual(['c/doubted']);
    expect(await list({ evidence_status: 'contested', entity_path: 'c', branch: 'try' })).toEqual(['c/doubted']);
    expect(await list({ evidence_status: 'untested', entity_path: 'c', branch: 'try' })).toEqual([]);
    expect(await list({ evidence_status: 'validated', branch: 'try' })).toEqual(['a/b/held']);
  });
});

describe.each(backends)('where a list may look at few entries on %s', (backend) => {
  it('those with other evidence end its pages early, and none is missing', async () => {
    const app = await openTestApp(backend, { maxScannedEntries: 3 });
    onTestFinished(() => app.close());
    for (let i = 0; i < 8; i++)
      await app.call('entries.write', { entity_path: 'p', key: `k${i}`, value: i, confidence: 0.95 });
    const causal_entry_keys = ['p/k6', 'p/k7'];
    await app.call('outcomes.commit', { outcome_ref: 'o', outcome_type: 'minor_failure', causal_entry_keys });
    const all = async (evidence_status: 'untested' | 'contested') => {
      const pages = await follow((cursor) => app.call('entries.list', { evidence_status, limit: 1, cursor }));
      return addresses(pages.flatMap(({ entries }) => entries));
    };
    expect(await all('untested')).toEqual(['p/k0', 'p/k1', 'p/k2', 'p/k3', 'p/k4', 'p/k5']);
    expect(await all('contested')).toEqual(['p/k6', 'p/k7']);
  });
});
