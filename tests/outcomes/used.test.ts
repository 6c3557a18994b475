import { parseGlob } from '@mem-service/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const AUTHOR = { agent_id: 'agent/author', session_id: 'writing' };
const DOER = { agent_id: 'agent/doer', session_id: 'task-1' };
const at = (key: string, entity_path = 'shop/pay') => ({ entity_path, key });
const outcome = { outcome_ref: 'PR 17', outcome_type: 'success' as const };

describe.each(backends)('what a session says it used, on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend);
    for (const key of ['retry', 'limit', 'owner'])
      await app.call('entries.write', { ...at(key), value: `gateway ${key} rule` }, AUTHOR);
    await app.call('entries.write', { ...at('far', 'other/place'), value: 'gateway elsewhere' }, AUTHOR);
  });
  afterEach(() => app.close());

  const search = (as = DOER) => app.call('entries.search', { query: 'gateway', entity_path: 'shop/**' }, as);
  const standing = (key: string) => app.call('entries.read', at(key), AUTHOR) as Promise<Record<string, unknown>>;

  it('a hit that is named is credited, and the other hits are not', async () => {
    await search();
    const answer = await app.call('outcomes.commit', { ...outcome, used: [at('retry')] }, DOER);
    expect(answer).toMatchObject({ affected_entries: 1, advice: null });
    expect(answer.entries).toMatchObject([{ ...at('retry'), applied: true, read_version: 1, confidence_before: 0.7 }]);
    expect(answer.entries[0]?.confidence_after).toBeCloseTo(0.8182, 4);
    expect(await standing('limit')).toMatchObject({ evidence_status: 'untested' });
    expect(await app.call('entries.confidence', at('retry'))).toMatchObject({ recomputed: { matches: true } });
  });

  it('a hit of a list can be named, and text names it too', async () => {
    await app.call('entries.list', { entity_path: 'shop/pay' }, DOER);
    expect(await app.call('outcomes.commit', { ...outcome, used: ['shop/pay/limit'] }, DOER)).toMatchObject({
      affected_entries: 1,
    });
  });

  it('what was read and not used is left out where it is said what was used', async () => {
    await app.call('entries.read', at('owner'), DOER);
    await search();
    const answer = await app.call('outcomes.commit', { ...outcome, used: [at('limit')] }, DOER);
    expect(answer.entries.map(({ key }) => key)).toEqual(['limit']);
    const none = { ...outcome, outcome_ref: 'PR 18' };
    await app.call('entries.read', at('owner'), DOER);
    expect(await app.call('outcomes.commit', { ...none, used: [] }, DOER)).toMatchObject({ affected_entries: 0 });
  });

  it('what the session has not seen is refused, and the answer names what it has', async () => {
    await search();
    const refused = app.call('outcomes.commit', { ...outcome, used: [at('retry'), at('far', 'other/place')] }, DOER);
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_input',
      detail: { errors: [{ path: 'used.1', message: expect.stringMatching(/neither read nor shown.*shop\/pay/) }] },
    });
    expect(await standing('retry')).toMatchObject({ outcome_count: 0 });
    // Another session saw nothing, and neither did another agent in a session of the same name.
    for (const as of [
      { ...DOER, session_id: 'task-2' },
      { ...DOER, agent_id: 'agent/other' },
    ])
      await expect(app.call('outcomes.commit', { ...outcome, used: [at('retry')] }, as)).rejects.toMatchObject({
        code: 'invalid_input',
      });
  });

  it('what was seen before the last outcome is refused by a sentence that is true', async () => {
    await search();
    await app.call('outcomes.commit', { ...outcome, used: [at('retry')] }, DOER);
    const again = () => app.call('outcomes.commit', { ...outcome, outcome_ref: 'PR 18', used: [at('retry')] }, DOER);
    await expect(again()).rejects.toMatchObject({
      detail: { errors: [{ message: expect.stringContaining('in this session since the last outcome (PR 17)') }] },
    });
    await search();
    expect(await again()).toMatchObject({ affected_entries: 1 });
  });

  it('a key without its path is refused with the form of a name, and with what may be meant', async () => {
    await search();
    const message = expect.stringMatching(
      /the name of an entry, whose form is entity_path\/key; is shop\/pay\/retry meant/,
    );
    await expect(app.call('outcomes.commit', { ...outcome, used: ['retry'] }, DOER)).rejects.toMatchObject({
      detail: { errors: [{ path: 'used.0', message }] },
    });
  });

  it('both ways to name causes at once are refused', async () => {
    await search();
    const both = { ...outcome, used: [at('retry')], causal_entry_keys: [at('limit')] };
    await expect(app.call('outcomes.commit', both, DOER)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('an entry that was changed, hidden or erased since is not credited', async () => {
    await search();
    await app.call('entries.write', { ...at('retry'), value: 'another rule' }, AUTHOR);
    await app.call('entries.write', { ...at('limit'), value: 'gateway limit rule', shared: false }, AUTHOR);
    const answer = await app.call('outcomes.commit', { ...outcome, used: [at('retry')] }, DOER);
    expect(answer.entries).toMatchObject([{ ...at('retry'), applied: false, reason: 'value_changed' }]);
    expect(answer.advice).toContain('Read it again');
    await search({ ...DOER, session_id: 'task-2' });
    await app.call('entries.erase', { ...at('owner') });
    for (const key of ['limit', 'owner'])
      await expect(
        app.call('outcomes.commit', { ...outcome, used: [at(key)] }, { ...DOER, session_id: 'task-2' }),
      ).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('hits of a session that another key made are named only within the scope of the key', async () => {
    await app.call('entries.search', { query: 'gateway' }, DOER);
    const scope = [[parseGlob('shop/**') as never]];
    const key: Principal = { key_id: 'k', name: 'k', type: 'agent', read: scope, write: scope };
    const used = (name: { entity_path: string; key: string } | string) =>
      app.call('outcomes.commit', { ...outcome, used: [name] }, { ...DOER, key });
    await expect(used(at('far', 'other/place'))).rejects.toMatchObject({ code: 'forbidden' });
    const refusal = await used('other/place/far').catch((error: Error) => error);
    expect(refusal).toMatchObject({ message: expect.stringContaining('it has seen 3, such as shop/pay/') });
    expect((refusal as Error).message).not.toContain('other/place');
    expect(await used(at('retry'))).toMatchObject({ affected_entries: 1 });
  });

  it('an outcome that credited nothing says so, and is completed by naming what was used', async () => {
    await search();
    const silent = await app.call('outcomes.commit', outcome, DOER);
    expect(silent).toMatchObject({ affected_entries: 0, entries: [], duplicate: false });
    expect(silent.advice).toMatch(/Nothing was credited.*used: \["shop\/pay\/\w+", /);
    const again = await app.call('outcomes.commit', outcome, DOER);
    expect(again).toMatchObject({ duplicate: true, outcome_id: silent.outcome_id, advice: silent.advice });
    const named = { ...outcome, used: [at('retry')] };
    const completed = await app.call('outcomes.commit', named, DOER);
    expect(completed).toMatchObject({ duplicate: false, affected_entries: 1, advice: null });
    expect(await app.call('outcomes.commit', named, DOER)).toMatchObject({ duplicate: true, affected_entries: 1 });
    expect(await standing('retry')).toMatchObject({ outcome_count: 1, success_count: 1 });
  });

  it('a session that saw nothing learns how to do better', async () => {
    const { advice } = await app.call('outcomes.commit', outcome, DOER);
    expect(advice).toMatch(/neither read nor found.*causal_entry_keys/);
    const missing = { ...outcome, outcome_ref: 'PR 18', causal_entry_keys: [at('nothing')] };
    expect((await app.call('outcomes.commit', missing, DOER)).advice).toContain('there is no entry of that name');
    await app.call('entries.write', { ...at('sure'), value: 'certain', confidence: 1 }, AUTHOR);
    const sure = { ...outcome, outcome_ref: 'PR 19', causal_entry_keys: [at('sure')] };
    expect((await app.call('outcomes.commit', sure, DOER)).advice).toContain('below 1');
  });

  it('the numbers of what was shown stay out of traces', async () => {
    await search();
    const { trace_id } = await app.call('outcomes.commit', { ...outcome, used: [at('retry')] }, DOER);
    const trace = await app.call('traces.read', { trace_id: trace_id as string }, DOER);
    expect(trace.query_events).toHaveLength(1);
    expect(JSON.stringify(trace)).not.toContain('"shown"');
    expect(await app.call('traces.verify', {}, DOER)).toMatchObject({ valid: 1 });
  });
});
