import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caughtUp } from '../briefing/caught-up.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { namedBranches } from '../support/lineages.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };
const { lineages, branches } = namedBranches();

describe.each(backends)('a briefing on a branch on %s', (backend) => {
  let app: TestApp;
  const write = (key: string, value: string, more: object = {}) =>
    app.call('entries.write', { entity_path: 'a', key, value, ...more } as never, A);
  const outcome = (ref: string, keys: readonly string[], outcome_type = 'success') =>
    app.call(
      'outcomes.commit',
      { outcome_ref: ref, outcome_type, causal_entry_keys: keys.map((key) => `a/${key}`), response_text: ref } as never,
      B,
    );

  beforeAll(async () => {
    app = await openTestApp(backend, { modules: [branches] });
    await write('works', 'restart it');
    await write('how', 'first this, then that', { memory_type: 'procedure' });
    for (const ref of ['one', 'two', 'three']) await outcome(ref, ['works']);
    const fork = (await app.call('stats.read', {}, A)).last_seq;
    lineages.set('dev', [
      { branch: 'dev', up_to_seq: null },
      { branch: 'main', up_to_seq: fork },
    ]);
    await write('late', 'written on main after the fork');
    await write('own', 'written on dev', { branch: 'dev' });
    await caughtUp(app);
  });
  afterAll(() => app.close());

  const keysOf = (entries: readonly { key: string }[]) => entries.map(({ key }) => key).sort();

  it('tells what the branch shows', async () => {
    const briefing = await app.call('briefing.read', { entity_path: 'a', branch: 'dev' }, B);
    expect(keysOf(briefing.procedures)).toEqual(['how']);
    expect(keysOf(briefing.changed)).toEqual(['how', 'own', 'works']);
    expect(keysOf(briefing.validated)).toEqual(['works']);
    const main = await app.call('briefing.read', { entity_path: 'a' }, B);
    expect(keysOf(main.changed)).toEqual(['how', 'late', 'works']);
  });
});
