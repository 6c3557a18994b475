import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const at = { entity_path: 'checkout', key: 'retries' };

describe.each(backends)('evidence in merges on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const read = (branch = 'main') => app.call('entries.read', { ...at, branch });
  const fork = (name: string, from = 'main') => app.call('branches.create', { name, from });
  const merge = (name: string, target: string) =>
    app.call('branches.merge', { name, target, strategy: 'THREE_WAY', keep_open: true });
  let n = 0;
  const judge = (branch: string, outcome_type: 'success' | 'minor_failure') =>
    app.call(
      'outcomes.commit',
      { outcome_ref: `run-${n++}`, outcome_type, branch, causal_entry_keys: [`${at.entity_path}/${at.key}`] },
      { agent_id: 'agent/judge', session_id: `s${n}` },
    );
  const standing = async (branch: string) => {
    const entry = await read(branch);
    if ('deleted' in entry) throw new Error('it is not the newest version');
    const { confidence, outcome_count, success_count, evidence_success, evidence_failure } = entry;
    return { confidence, outcome_count, success_count, evidence_success, evidence_failure };
  };

  it('comes along with an entry', async () => {
    await fork('exp');
    await app.call('entries.write', { ...at, value: 1, branch: 'exp' });
    await judge('exp', 'success');
    await judge('exp', 'minor_failure');
    const there = await standing('exp');
    expect(there.outcome_count).toBe(2);
    expect(await merge('exp', 'main')).toMatchObject({ added: 1, judged: 1 });
    expect(await standing('main')).toEqual(there);
    expect(await merge('exp', 'main')).toMatchObject({ added: 0, judged: 0 });
    await judge('exp', 'success');
    expect(await merge('exp', 'main')).toMatchObject({ modified: 0, judged: 1 });
    expect(await standing('main')).toEqual(await standing('exp'));
    await judge('main', 'success');
    const { recomputed } = await app.call('entries.confidence', at);
    expect(recomputed.matches).toBe(true);
  });

  it('is the same in any order', async () => {
    await app.call('entries.write', { ...at, value: 1, memory_type: 'fact' });
    for (const name of ['one', 'other', 'left', 'right']) await fork(name);
    for (const branch of ['one', 'other', 'left', 'right'])
      await app.call('entries.write', { ...at, value: 1, memory_type: 'belief', branch });
    await judge('one', 'success');
    await judge('other', 'minor_failure');
    await judge('one', 'success');
    await merge('one', 'left');
    await merge('other', 'left');
    await merge('other', 'right');
    await merge('one', 'right');
    const left = await standing('left');
    expect(left.outcome_count).toBe(3);
    expect(await standing('right')).toEqual(left);
  });
});
