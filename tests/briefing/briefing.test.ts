import { type Output, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCompiling } from '../cortex/compiled.ts';
import { backends, type TestApp } from '../support/app.ts';
import { caughtUp } from './caught-up.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };
const NEW = { agent_id: 'agent/new' };

type Briefing = Output<'briefing.read'>;
const keys = (entries: readonly { key: string }[]) => entries.map(({ key }) => key);

describe.each(backends)('a briefing, on %s', (backend) => {
  let app: TestApp;
  const write = (
    entity_path: string,
    key: string,
    { as = A, ...more }: { as?: typeof A; [field: string]: unknown } = {},
  ) => app.call('entries.write', { entity_path, key, value: `about ${key}`, ...more } as never, as);
  const commit = (
    outcome: string,
    causes: string[],
    { as = A, ...more }: { as?: typeof A; [field: string]: unknown } = {},
  ) => {
    const [outcome_ref, outcome_type] = outcome.split(' ');
    return app.call('outcomes.commit', { outcome_ref, outcome_type, causal_entry_keys: causes, ...more } as never, as);
  };
  const brief = (input: object = {}, as = NEW): Promise<Briefing> => app.call('briefing.read', input, as);

  beforeAll(async () => {
    app = await openCompiling(backend);
    await write('shop/cart', 'retry-limit');
    await write('shop/cart', 'timeout-old');
    await write('shop/cart', 'deploy', { memory_type: 'procedure' });
    await write('shop/stock', 'warehouse', { as: B });
    await write('elsewhere', 'unrelated');
    await write('shop/cart', 'timeout-new', { as: B });
    await commit('pr-1 success', ['shop/cart/retry-limit', 'shop/cart/timeout-new'], {
      decision_summary: 'kept the limit',
      tool_calls: [{ tool_name: 'raise-limit', arguments: {} }],
    });
    await commit('pr-2 critical_failure', ['shop/cart/timeout-old'], {
      tool_calls: [{ tool_name: 'raise-timeout', arguments: {} }],
    });
    await commit('pr-3 critical_failure', ['shop/cart/timeout-old'], {
      tool_calls: [{ tool_name: 'raise-timeout', arguments: {} }],
    });
    await caughtUp(app);
  });
  afterAll(() => app.close());

  it('says what is validated, what is refuted and by what replaced, and how things are done', async () => {
    const answer = await brief({ entity_path: 'shop' });
    expect(keys(answer.validated).sort()).toEqual(['retry-limit', 'timeout-new']);
    expect(answer.validated[0]).toMatchObject({
      evidence_status: 'validated',
      success_count: 1,
      value: expect.stringMatching(/^about/),
    });
    expect(keys(answer.discredited)).toEqual(['timeout-old']);
    expect(answer.discredited[0]?.replaced_by).toEqual([{ entity_path: 'shop/cart', key: 'timeout-new' }]);
    expect(keys(answer.procedures)).toEqual(['deploy']);
    expect(keys((await brief({ entity_path: 'shop/stock' })).validated)).toEqual([]);
  });

  it('says what was tried and how it ended, and who to ask', async () => {
    const answer = await brief({ entity_path: 'shop/cart' });
    expect(answer.tried_here).toMatchObject([
      {
        action: 'raise-timeout',
        won: 0,
        n: 2,
        p: 0.25,
        last_3: ['critical_failure', 'critical_failure'],
        outcome_ref: 'pr-3',
      },
      { action: 'raise-limit', won: 1, n: 1, note: 'kept the limit', agents: ['agent/a'] },
    ]);
    expect(answer.who_to_ask.map(({ agent_id }) => agent_id).sort()).toEqual(['agent/a', 'agent/b']);
    expect((await brief({ entity_path: 'shop/cart' }, A)).who_to_ask.map(({ agent_id }) => agent_id)).toEqual([
      'agent/b',
    ]);
  });

  it('names what worked where an entry had failed, as the lesson of the outcome says', async () => {
    await write('shop/mail', 'smtp-direct');
    await write('shop/mail', 'relay');
    const attempts = [
      { outcome_type: 'critical_failure', causal_entry_keys: ['shop/mail/smtp-direct'], summary: 'blocked' },
    ];
    await commit('pr-9 success', ['shop/mail/relay'], { attempts });
    await commit('pr-10 critical_failure', ['shop/mail/smtp-direct']);
    await caughtUp(app);
    const { discredited, tried_here } = await brief({ entity_path: 'shop/mail' });
    expect(discredited[0]).toMatchObject({
      key: 'smtp-direct',
      replaced_by: [{ entity_path: 'shop/mail', key: 'relay' }],
    });
    // The name of an outcome is no action.
    expect(tried_here.map(({ action }) => action)).toEqual(['blocked']);
    expect(tried_here.find(({ note }) => note === 'blocked')).toMatchObject({ won: 0, last_3: ['critical_failure'] });
  });

  it('lists what changed since the last finished session of the agent there', async () => {
    const session = { ...NEW, session_id: 'visit' };
    await app.call('entries.read', { entity_path: 'shop/stock', key: 'warehouse' }, session);
    await app.kernel.services.noteBuffer.flushAll();
    app.clock.advance(1000);
    await write('shop/stock', 'own-note', { as: NEW });
    await write('shop/stock', 'while-working', { as: B });
    await commit('visit success', [], { as: session });
    app.clock.advance(1000);
    await write('shop/stock', 'since', { as: B });
    await write('elsewhere', 'since-elsewhere', { as: B });
    await write('shop/stock', 'short-lived', { as: B });
    await app.call('entries.delete', { entity_path: 'shop/stock', key: 'short-lived' }, B);
    await caughtUp(app);
    const { changed, last_visit } = await brief({ entity_path: 'shop/stock' });
    expect(last_visit).not.toBeNull();
    expect(changed.map(({ key, change }) => [key, change])).toEqual([
      ['short-lived', 'deleted'],
      ['since', 'created'],
      ['while-working', 'created'],
    ]);
    expect(changed[0]).toMatchObject({ value: null, value_truncated: false });
    const whole = await brief();
    expect(keys(whole.changed)).toContain('since-elsewhere');
    // For somebody else, all of it is new.
    const other = await brief({ entity_path: 'shop/stock', agent: 'agent/other' });
    expect(other).toMatchObject({ agent_id: 'agent/other', last_visit: null });
    expect(keys(other.changed)).toEqual(expect.arrayContaining(['warehouse', 'own-note']));
    const later = await brief({ entity_path: 'shop/stock', since: '2100-01-01T00:00:00Z' });
    expect(later.changed).toEqual([]);
  });

  it('fills a budget with whole items and counts what it left out', async () => {
    const whole = await brief({ entity_path: 'shop' });
    const small = await brief({ entity_path: 'shop', max_tokens: 250 });
    expect(small.tokens).toBeLessThanOrEqual(250);
    expect(small.discredited[0]).toEqual(whole.discredited[0]);
    expect(small.left_out.length).toBeGreaterThan(0);
    for (const { section, count } of small.left_out) expect(small[section].length + count).toBe(whole[section].length);
    expect(whole.left_out).toEqual([]);
    expect((await brief({ entity_path: 'shop', max_tokens: 1 })).tokens).toBe(0);
  });

  it('cuts long values, more so where it is compact', async () => {
    await write('shop/long', 'text', { value: 'x'.repeat(5_000), memory_type: 'procedure' });
    await write('shop/long', 'exact', { value: { n: 12345678901234567890n.toString() }, memory_type: 'procedure' });
    await caughtUp(app);
    const of = async (input: object) =>
      (await brief({ entity_path: 'shop/long', ...input })).procedures.find(({ key }) => key === 'text');
    expect(await of({})).toMatchObject({ value: 'x'.repeat(1_000), value_truncated: true });
    expect(await of({ compact: true })).toMatchObject({ value: 'x'.repeat(240), value_truncated: true });
  });

  it('counts as no recall, and what it showed can be named in the outcome', async () => {
    const session = { agent_id: 'agent/user', session_id: 'uses' };
    await brief({ entity_path: 'shop/cart' }, session as never);
    const { recall_count } = (await app.call('entries.read', { entity_path: 'shop/cart', key: 'deploy' }, A)) as {
      recall_count: number;
    };
    expect(recall_count).toBe(0);
    await app.kernel.services.noteBuffer.flushAll();
    const used = [{ entity_path: 'shop/cart', key: 'deploy' }];
    const committed = await app.call(
      'outcomes.commit',
      { outcome_ref: 'used', outcome_type: 'success', used } as never,
      session,
    );
    expect(JSON.stringify(committed)).toContain('deploy');
  });

  it('follows an entry that is written again, deleted or erased', async () => {
    const at = { entity_path: 'shop/moving', key: 'how-to' };
    await write(at.entity_path, at.key, { memory_type: 'procedure' });
    await caughtUp(app);
    expect(keys((await brief({ entity_path: 'shop/moving' })).procedures)).toEqual(['how-to']);
    await write(at.entity_path, at.key, { memory_type: 'fact', value: 'no procedure any more' });
    await caughtUp(app);
    expect((await brief({ entity_path: 'shop/moving' })).procedures).toEqual([]);
    await write(at.entity_path, at.key, { memory_type: 'procedure', value: 'again' });
    await caughtUp(app);
    await app.call('entries.erase', at as never, A);
    await caughtUp(app);
    const answer = await brief({ entity_path: 'shop/moving' });
    expect(answer.procedures).toEqual([]);
    expect(JSON.stringify(answer)).not.toContain('how-to');
  });

  it('does not take what it knows of the agent for knowledge of a mistyped path', async () => {
    const { digests, changed, next_steps } = await brief({ entity_path: 'shopp' }, A);
    expect(digests.map(({ digest_type }) => digest_type)).toEqual(['agent_brief']);
    expect(changed).toEqual([]);
    expect(next_steps[0]).toMatch(/^Nothing is known at shopp yet/);
    expect(next_steps.join(' ')).not.toMatch(/tested anything here|newest is listed/);
  });

  it('shows a key what its scope covers and nothing else', async () => {
    const read = [[parseGlob('shop/stock/**') as never, parseGlob('shop/stock') as never]];
    const scoped = { ...NEW, key: { key_id: 'k', name: 'k', type: 'agent' as const, read } };
    for (const input of [{}, { entity_path: 'shop' }, { entity_path: 'shop/cart' }]) {
      const text = JSON.stringify(await app.call('briefing.read', input, scoped as never));
      expect(text).not.toMatch(/shop\/cart"|timeout|retry-limit|raise-|pr-1|elsewhere/);
    }
    expect(keys((await app.call('briefing.read', {}, scoped as never)).changed)).toContain('since');
  });
});

describe.each(backends)('a briefing in an empty account, on %s', (backend) => {
  it('says what to do first, also for an agent and a path that nobody knows', async () => {
    const app = await openCompiling(backend);
    const empty = await app.call('briefing.read', {}, A);
    expect(empty).toMatchObject({ digests: [], total: 0, validated: [], changed: [], last_visit: null, left_out: [] });
    expect(empty.next_steps.join(' ')).toMatch(/empty.*mem_write.*mem_commit_outcome/);
    const unknown = await app.call('briefing.read', { entity_path: 'no/where', agent: 'nobody' }, A);
    expect(unknown.next_steps[0]).toMatch(/Nothing is known at no\/where/);
    await app.close();
  });
});
