import type { EntryKey } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../../packages/server/src/kernel/index.ts';
import { backends, caller, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };
const DEV = 'experiment/one';

type ExportedEntry = EntryKey & { record: string; value: unknown; shared: boolean };

describe.each(backends)('an export of a branch on %s', (backend) => {
  let app: TestApp;
  let fork = 0;
  const write = (key: string, value: unknown, more: object = {}) =>
    app.call('entries.write', { entity_path: 'a/b', key, value, ...more } as never, A);

  beforeAll(async () => {
    app = await openTestApp(backend);
    await write('same', { n: 1 });
    await write('changed', 'of main');
    await write('gone', 'soon');
    await write('private', 'of b', { shared: false, ...B });
    fork = (await app.call('branches.create', { name: DEV }, A)).fork_seq as number;
    await write('changed', 'of the branch', { branch: DEV, confidence: 0.5, pattern_refs: ['p'] });
    await write('own', [1, 2], { branch: DEV, memory_type: 'belief' });
    await app.call('entries.delete', { entity_path: 'a/b', key: 'gone', branch: DEV }, A);
    await write('changed', 'later on main');
    await write('late', 'on main');
    await app.call('tags.create', { name: 'v1', ref: DEV }, A);
    await write('own', [3], { branch: DEV });
  });
  afterAll(() => app.close());

  async function exported(branch: string, as: Partial<Caller> = A, of = app) {
    const lines: string[] = [];
    for await (const line of await of.kernel.list('transfer.export', { branch }, caller(as))) lines.push(line);
    const [header, ...entries] = lines.map((line) => JSON.parse(line));
    expect(header).toMatchObject({
      record: 'header',
      format: 'mem-entries',
      branch,
      counts: { entry: entries.length },
    });
    return entries as ExportedEntry[];
  }
  const valuesOf = async (branch: string, as: Partial<Caller> = A) =>
    Object.fromEntries((await exported(branch, as)).map(({ key, value }) => [key, value]));
  const withKey = (more: object = {}): Partial<Caller> => ({
    ...A,
    actor: 'key/k',
    holder: 'key/k',
    key: { key_id: 'k', name: 'k', type: 'agent', ...more },
  });

  it('holds its entries as they are there, and what its parent had at the fork', async () => {
    expect(await valuesOf(DEV)).toEqual({ same: { n: 1 }, changed: 'of the branch', own: [3] });
    expect(await valuesOf('main')).toEqual({ same: { n: 1 }, changed: 'later on main', gone: 'soon', late: 'on main' });
  });

  it('can be of a past state', async () => {
    expect(await valuesOf('tags/v1')).toEqual({ same: { n: 1 }, changed: 'of the branch', own: [1, 2] });
    expect(await valuesOf(`main@${fork}`)).toEqual({ same: { n: 1 }, changed: 'of main', gone: 'soon' });
    await expect(exported('experiment/none')).rejects.toMatchObject({ code: 'branch_not_found' });
  });

  it('can be imported into an empty account, as main', async () => {
    const other = await openTestApp(backend, { clock: app.clock });
    const entries = await exported(DEV, B);
    expect(entries).toHaveLength(4);
    const given = entries.map(({ record: _, ...entry }) => entry);
    expect(await other.call('entries.import', { source: 'mem', entries: given as never })).toMatchObject({
      written: 4,
    });
    expect(await exported('main', B, other)).toEqual(entries);
    await other.close();
  });

  it('holds what the caller may see, and no more', async () => {
    expect((await exported(DEV, B)).find(({ key }) => key === 'private')).toMatchObject({
      value: 'of b',
      shared: false,
    });
    const part = [[{ kind: 'exact' as const, path: 'a/c' }]];
    await write('other', 'in scope', { entity_path: 'a/c' });
    expect(await valuesOf('main', withKey({ read: part, write: part }))).toEqual({ other: 'in scope' });
    expect(await valuesOf('main', withKey({ agent_ids: ['agent/a'] }))).not.toHaveProperty('private');
    await expect(exported('main', withKey({ agent_ids: ['agent/b'] }))).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('needs access to the branch, and the whole account an admin key', async () => {
    await expect(exported(DEV, withKey())).rejects.toMatchObject({ code: 'branch_access_denied' });
    await expect(exported('tags/v1', withKey())).rejects.toMatchObject({ code: 'branch_access_denied' });
    await expect(app.call('transfer.export', {}, withKey())).rejects.toMatchObject({ code: 'forbidden' });
    expect(await exported(DEV, withKey({ type: 'admin' }))).toHaveLength(3);
  });

  it('leaves out what is under quarantine', async () => {
    await write('bad', 'a guess', { agent_id: 'agent/bad' });
    expect(await valuesOf('main')).toHaveProperty('bad');
    const { quarantine_id } = await app.call('quarantine.create', { written_by: 'agent/bad', reason: 'bad' }, A);
    expect(await valuesOf('main')).not.toHaveProperty('bad');
    await app.call('quarantine.undo', { quarantine_id: quarantine_id as string }, A);
    expect(await valuesOf('main')).toHaveProperty('bad');
  });
});
