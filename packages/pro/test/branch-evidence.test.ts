import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const at = { entity_path: 'checkout', key: 'retries' };

describe.each(backends)('evidence on a branch on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const fork = (name: string, from = 'main') => app.call('branches.create', { name, from });
  const write = (value: unknown, branch = 'main') => app.call('entries.write', { ...at, value, branch });
  const merge = (name: string, target: string) =>
    app.call('branches.merge', { name, target, strategy: 'THREE_WAY', keep_open: true });
  let n = 0;
  const judge = (branch: string, outcome_type: 'success' | 'minor_failure' = 'success') => {
    app.clock.advance(1000);
    return app.call(
      'outcomes.commit',
      { outcome_ref: `run-${n++}`, outcome_type, branch, causal_entry_keys: [`${at.entity_path}/${at.key}`] },
      { agent_id: 'agent/judge', session_id: `s${n}` },
    );
  };
  const read = async (branch: string) => {
    const entry = await app.call('entries.read', { ...at, branch });
    if ('deleted' in entry) throw new Error('it is not the newest version');
    return entry;
  };
  const standing = async (branch: string) => {
    const { confidence, outcome_count, success_count, evidence_success, evidence_failure } = await read(branch);
    return { confidence, outcome_count, success_count, evidence_success, evidence_failure };
  };

  it('moves the confidence there and not on main', async () => {
    await write(1);
    await judge('main');
    await fork('exp');
    const main = await standing('main');
    expect(await standing('exp')).toEqual(main);
    await judge('exp', 'minor_failure');
    expect(await standing('main')).toEqual(main);
    const there = await standing('exp');
    expect(there.outcome_count).toBe(2);
    expect(there.confidence).toBeLessThan(main.confidence);
    await judge('main');
    await judge('main');
    expect(await standing('exp')).toEqual(there);
    expect((await standing('main')).outcome_count).toBe(3);
    expect((await app.call('entries.confidence', { ...at, branch: 'exp' })).recomputed.matches).toBe(true);
  });

  it('does not move with outcomes on main after the fork', async () => {
    await write(1);
    await fork('exp');
    const then = await standing('exp');
    await judge('main');
    expect(await standing('exp')).toEqual(then);
    await judge('exp');
    expect((await standing('exp')).outcome_count).toBe(1);
  });

  it('is no change of the entry', async () => {
    await write(1);
    await write(2);
    const { seq: _, branch: __, ...before } = await read('main');
    await fork('exp');
    await judge('exp');
    const after = await read('exp');
    expect(after).toMatchObject({ version: before.version, value: 2, provenance: before.provenance, branch: 'exp' });
    const { versions, version_count } = await app.call('entries.history', { ...at, branch: 'exp' });
    expect([version_count, versions.map(({ version }) => version)]).toEqual([2, [2, 1]]);
    expect((await app.call('branches.diff', { name: 'exp' })).entries).toEqual([]);
    expect(await app.call('branches.read', { name: 'exp' })).toMatchObject({ ahead: 0, behind: 0 });
    expect(await merge('exp', 'main')).toMatchObject({ added: 0, modified: 0, deleted: 0, judged: 1 });
    expect(await app.call('entries.verify', { branch: 'exp' })).toMatchObject({ corrupted: [], chain_breaks: [] });
    await write(3, 'exp');
    expect(await read('exp')).toMatchObject({ version: 3, outcome_count: 0 });
    expect(await app.call('branches.read', { name: 'exp' })).toMatchObject({ ahead: 1, behind: 0 });
  });

  it('stays with a value that the branch writes again', async () => {
    await write(1);
    await judge('main');
    await fork('exp');
    await app.call('entries.write', { ...at, value: 1, memory_type: 'belief', branch: 'exp' });
    expect(await standing('exp')).toEqual(await standing('main'));
    await judge('exp');
    expect((await standing('exp')).outcome_count).toBe(2);
  });

  it('is the union after a merge, in either order', async () => {
    await write(1);
    await judge('main');
    for (const name of ['one', 'other', 'left', 'right']) await fork(name);
    await judge('one');
    await judge('other', 'minor_failure');
    await judge('main', 'minor_failure');
    await judge('one');
    await merge('one', 'left');
    await merge('other', 'left');
    await merge('other', 'right');
    await merge('one', 'right');
    const left = await standing('left');
    expect(left.outcome_count).toBe(4);
    expect(await standing('right')).toEqual(left);
    await merge('one', 'main');
    expect((await standing('main')).outcome_count).toBe(4);
    await merge('other', 'main');
    await merge('other', 'main');
    expect((await standing('main')).outcome_count).toBe(5);
    expect((await standing('one')).outcome_count).toBe(3);
  });

  it('counts through nested forks', async () => {
    await write(1);
    await fork('exp');
    await judge('exp');
    await fork('exp/deep', 'exp');
    await judge('exp/deep');
    await judge('exp');
    await judge('exp');
    expect((await standing('exp/deep')).outcome_count).toBe(2);
    expect((await standing('exp')).outcome_count).toBe(3);
    expect((await standing('main')).outcome_count).toBe(0);
  });
});
