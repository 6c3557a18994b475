import { parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { goldenQueriesNaming } from '../../packages/server/src/modules/golden/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };
const at = (key: string, entity_path = 'shop/pay') => ({ entity_path, key });

/** Lets what follows the log catch up. */
const follow = async (app: TestApp) => {
  await app.kernel.services.noteBuffer.flushAll();
  app.clock.advance(2_000);
  await app.jobs.sweep();
};

let session = 0;
const nextSession = () => `s-${++session}`;

type AskedSession = {
  query?: string;
  read?: readonly object[];
  as?: object;
  used?: readonly object[];
  more?: object;
  ref?: string;
};

/** One session: a question, reads, an outcome. */
async function work(app: TestApp, outcome_type: string | null, ask: AskedSession): Promise<string> {
  const { query = 'how often is a payment retried?', read = [at('retry')], as = B, used, more = {}, ref } = ask;
  const session_id = nextSession();
  const who = { ...as, session_id };
  await app.call('entries.retrieve', { query, ...more }, who);
  app.clock.advance(1_000);
  for (const one of read) await app.call('entries.read', one as never, who);
  if (outcome_type !== null)
    await app.call(
      'outcomes.commit',
      { outcome_ref: ref ?? session_id, outcome_type, ...(used && { used }) } as never,
      who,
    );
  await follow(app);
  return session_id;
}

const listed = async (app: TestApp, as: object = A, input: object = {}) =>
  (await app.call('golden.list', input as never, as)).golden_queries;

describe.each(backends)('golden queries, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    await app.call('entries.write', { ...at('retry'), value: 'a failed payment is retried three times' }, A);
    await app.call('entries.write', { ...at('owner'), value: 'the payments team owns the gateway' }, A);
    await app.call(
      'entries.write',
      { ...at('mine', 'private/a'), value: 'a payment secret of mine', shared: false },
      A,
    );
    await follow(app);
  });
  afterAll(() => app.close());

  const clear = async () => {
    for (const as of [A, B])
      for (const { golden_id } of await listed(app, as)) await app.call('golden.delete', { golden_id }, as);
  };

  it('are the questions whose hit was read in a session that ended well', async () => {
    await work(app, 'success', {});
    expect(await listed(app)).toMatchObject([
      {
        ...at('retry'),
        question: 'how often is a payment retried?',
        ...{
          asked_with: 'retrieve',
          asked_at: null,
          agent_id: 'agent/b',
          version: 1,
          times: 1,
        },
      },
    ]);
    expect(await listed(app, B)).toHaveLength(1);
    expect(await listed(app, B, { entity_path: 'private/**' })).toEqual([]);
    const { traces } = await app.call('traces.list', { limit: 1 }, A);
    expect(JSON.stringify(traces)).not.toContain('"shown"');
  });

  it('are kept once for the same question, however it is written, and count', async () => {
    await work(app, 'clean_deploy', { query: '  How often is a payment  RETRIED? ' });
    expect(await listed(app)).toMatchObject([{ times: 2 }]);
    await clear();
    expect(await listed(app)).toEqual([]);
  });

  it('are none where the outcome is bad, nothing shown was read, it was read before, or the question has a time', async () => {
    await work(app, 'failure', {});
    await work(app, null, {});
    await work(app, 'success', { read: [] });
    await work(app, 'success', { query: 'how often is a payment retried since yesterday?' });
    await work(app, 'success', { more: { memory_type: 'fact' } });
    const session_id = nextSession();
    await app.call('entries.read', at('retry'), { ...A, session_id });
    app.clock.advance(1_000);
    await app.call('entries.retrieve', { query: 'retries of a payment' }, { ...A, session_id });
    await app.call('outcomes.commit', { outcome_ref: session_id, outcome_type: 'success' }, { ...A, session_id });
    await follow(app);
    expect(await listed(app)).toEqual([]);
  });

  it('come from a search too, and from what is named as used, also after the outcome', async () => {
    const session_id = nextSession();
    await app.call('entries.search', { query: 'payments gateway', entity_path: 'shop/**' }, { ...A, session_id });
    const outcome = { outcome_ref: session_id, outcome_type: 'success' as const };
    await app.call('outcomes.commit', outcome, { ...A, session_id });
    await follow(app);
    expect(await listed(app)).toEqual([]);
    for (let i = 0; i < 2; i++)
      await app.call('outcomes.commit', { ...outcome, used: [at('owner')] }, { ...A, session_id });
    await follow(app);
    expect(await listed(app)).toMatchObject([{ ...at('owner'), asked_with: 'search', asked_at: 'shop/**', times: 1 }]);
    await clear();
  });

  it('are taken back when the outcome is revised, unless another one confirms them', async () => {
    await work(app, 'success', { ref: 'deploy 7' });
    await work(app, 'p1_incident', { ref: 'deploy 7', query: 'unrelated words', read: [] });
    expect(await listed(app)).toEqual([]);
    await work(app, 'success', { ref: 'deploy 8' });
    await work(app, 'success', { ref: 'deploy 9' });
    await work(app, 'failure', { ref: 'deploy 9', read: [] });
    expect(await listed(app)).toMatchObject([{ times: 1 }]);
    await work(app, 'failure', { ref: 'deploy 10', read: [] });
    expect(await listed(app)).toHaveLength(1);
    await clear();
  });

  it('are private where the entry or anything else that was shown is', async () => {
    await work(app, 'success', { as: A, query: 'payment secret', read: [at('mine', 'private/a')] });
    // The private entry was shown beside it.
    await work(app, 'success', { as: A, query: 'payment secret retried' });
    expect(await listed(app)).toHaveLength(2);
    expect(await listed(app, B)).toEqual([]);
    const [one] = await listed(app);
    await expect(app.call('golden.delete', { golden_id: String(one?.golden_id) }, B)).rejects.toMatchObject({
      code: 'not_found',
    });
    await clear();
    await work(app, 'success', {});
    expect(await listed(app)).toHaveLength(1);
    // It is private from now on.
    await app.call('entries.write', { ...at('retry'), value: 'a failed payment is retried twice', shared: false }, A);
    expect(await listed(app)).toHaveLength(1);
    expect(await listed(app, B)).toEqual([]);
    await app.call(
      'entries.write',
      { ...at('retry'), value: 'a failed payment is retried three times', shared: true },
      A,
    );
    await clear();
  });

  it('are seen by a key with a scope where it covers the entry and all that was asked', async () => {
    await work(app, 'success', {});
    await work(app, 'success', { more: { entity_path: 'shop', include_descendants: true } });
    const key = (glob: string) => ({
      ...A,
      key: { key_id: 'k', name: 'k', type: 'agent' as const, read: [[parseGlob(glob)]], write: [[parseGlob(glob)]] },
    });
    expect(await listed(app)).toHaveLength(2);
    expect(await listed(app, key('shop/**'))).toEqual([]);
    await clear();
    await work(app, 'success', { more: { entity_path: 'shop/pay' } });
    expect(await listed(app, key('shop/**'))).toHaveLength(1);
    expect(await listed(app, key('shop/other'))).toEqual([]);
    await clear();
  });

  it('are named by their entries, for other modules', async () => {
    await work(app, 'success', {});
    const { database, clock } = app.kernel.services;
    const { account_id } = (await database.read.get({ text: 'SELECT account_id FROM accounts', values: [] })) as never;
    const reads = database.forAccount(account_id);
    const ids = await reads.read.all<{ entry_id: number }>({
      text: 'SELECT entry_id FROM golden_queries WHERE account_id = ?',
      values: [account_id],
    });
    const lineage = [{ branch: 'main', up_to_seq: null }];
    const dialect = database.dialect;
    const view = { account_id, lineage, agent_id: 'agent/b', scope: undefined, at: clock.now(), dialect } as never;
    expect(await goldenQueriesNaming({ scan: reads.scan, view, dialect }, ids)).toMatchObject([
      { ...at('retry'), question: 'how often is a payment retried?' },
    ]);
    await clear();
  });

  it('go with the entry and with the agent', async () => {
    await work(app, 'success', {});
    await work(app, 'success', { as: A, read: [at('owner')], query: 'who owns the gateway?' });
    expect(await listed(app)).toHaveLength(2);
    await app.call('entries.erase', at('owner') as never, A);
    expect(await listed(app)).toMatchObject([{ agent_id: 'agent/b' }]);
    await app.call('agents.erase', { agent_id: 'agent/b' } as never, A);
    const rows = await app.kernel.services.database.read.all({
      text: 'SELECT golden_id FROM golden_queries',
      values: [],
    });
    expect(rows).toEqual([]);
  });
});
