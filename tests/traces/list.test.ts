import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeAll } from '../sessions/support.ts';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { send } from '../support/wire.ts';

const A = { agent_id: 'agent/a', session_id: 's-a' };
const B = { agent_id: 'agent/b', session_id: 's-b' };

describe.each(backends)('a list of traces on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  let noon: string;

  const seal = (n: number, as: object, input: object = {}) =>
    app.call('outcomes.commit', { outcome_ref: `deploy-${n}`, outcome_type: 'success', ...input }, as);
  const refs = async (input: object = {}) =>
    (await app.call('traces.list', input as never)).traces.map(({ outcome_ref }) => outcome_ref);

  beforeAll(async () => {
    app = await openTestApp(backend);
    server = await listen(app);
    await writeAll(app, [
      { entity_path: 'checkout/payments', key: 'policy' },
      { entity_path: 'search', key: 'index' },
    ]);
    await app.call('entries.read', { entity_path: 'checkout/payments', key: 'policy' }, A);
    await seal(1, A, { task_input: 'Why do payments time out?', response_text: 'The retry limit is too low.' });
    await seal(2, A, { outcome_type: 'failure', task_input: 'Raise the limit of retries' });
    noon = new Date(app.clock.now() + 500).toISOString();
    app.clock.advance(1000);
    await app.call('entries.read', { entity_path: 'search', key: 'index' }, B);
    await seal(3, B, { outcome_type: 'failure', response_text: 'Payments are fine, the limit was right' });
    await app.call(
      'sessions.record_error',
      { error_type: 'TimeoutError', message: 'gave up' },
      { ...B, session_id: 's-c' },
    );
    await seal(4, { ...B, session_id: 's-c' });
    await seal(5, { agent_id: B.agent_id, session_id: null });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  it('is newest first', async () => {
    expect(await refs()).toEqual(['deploy-5', 'deploy-4', 'deploy-3', 'deploy-2', 'deploy-1']);
  });

  it.each<[filter: object, expected: number[]]>([
    [{ agent_id: 'agent/a' }, [2, 1]],
    [{ agent_id: 'agent/nobody' }, []],
    [{ session_id: 's-c' }, [4]],
    [{ outcome_type: 'failure' }, [3, 2]],
    [{ outcome_type: 'FAILURE', agent_id: 'agent/b' }, [3]],
    [{ outcome_ref: 'deploy-4' }, [4]],
    [{ has_error: true }, [4]],
    [{ has_error: true, agent_id: 'agent/a' }, []],
    [{ has_error: false }, [5, 3, 2, 1]],
    [{ has_error: false, outcome_type: 'failure' }, [3, 2]],
    [{ entity_path: 'checkout/payments' }, [1]],
    [{ entity_path: 'checkout/**' }, [1]],
    [{ entity_path: 'checkout' }, []],
    [{ entity_path: '*' }, [3, 1]],
    [{ limit: 2, offset: 1 }, [4, 3]],
    [{ outcome_type: 'failure', offset: 1 }, [2]],
    [{ query: 'payments' }, [3, 1]],
    [{ query: 'payment limits' }, [3, 1]],
    [{ query: '"retry limit"' }, [1]],
    [{ query: 'retr*' }, [2, 1]],
    [{ query: 'payments', outcome_type: 'failure' }, [3]],
    [{ query: 'nothing' }, []],
    [{ query: '...' }, []],
    [{ query: ' ' }, [5, 4, 3, 2, 1]],
  ])('is filtered by %j', async (filter, expected) => {
    expect(await refs(filter)).toEqual(expected.map((n) => `deploy-${n}`));
  });

  it('is cut by time, from the beginning of it to before its end', async () => {
    expect(await refs({ since: noon })).toEqual(['deploy-5', 'deploy-4', 'deploy-3']);
    expect(await refs({ until: noon })).toEqual(['deploy-2', 'deploy-1']);
    const { created_at } = (await app.call('traces.list', { outcome_ref: 'deploy-3' })).traces[0] as {
      created_at: string;
    };
    expect(await refs({ since: created_at, outcome_type: 'failure' })).toEqual(['deploy-3']);
    expect(await refs({ until: created_at })).toEqual(['deploy-2', 'deploy-1']);
  });

  it.each([
    'entityPath=checkout/payments&agentId=agent/a&outcomeType=success',
    'entity_path=checkout/payments&agent_id=agent/a&outcome_type=success',
    'entity_path=checkout%2F**&outcomeType=SUCCESS',
  ])('takes its filters over HTTP in both spellings: %s', async (query) => {
    const { status, json } = await send(server.url, { method: 'GET', path: `/api/v1/traces?${query}` });
    expect(status).toBe(200);
    expect(json.traces).toMatchObject([{ outcome_ref: 'deploy-1' }]);
    expect(json).toMatchObject({ next_cursor: null, has_more: false });
  });

  it('refuses what it does not know over HTTP', async () => {
    const ask = async (query: string) => {
      const { status, json } = await send(server.url, { method: 'GET', path: `/api/v1/traces?${query}` });
      return [status, json.code];
    };
    expect(await ask('outcomeType=disaster')).toEqual([422, 'invalid_input']);
    expect(await ask('nobody=knows')).toEqual([422, 'invalid_input']);
    expect(await ask('cursor=nonsense')).toEqual([400, 'invalid_cursor']);
    expect(await ask('limit=0')).toEqual([422, 'invalid_input']);
    expect(await ask('branch=other')).toEqual([404, 'branch_not_found']);
  });

  it('is paged by a cursor that new traces do not disturb', async () => {
    for (const filter of [{}, { agent_id: 'agent/b' }, { query: 'limit' }, { entity_path: '*' }]) {
      const whole = await refs(filter);
      const paged: unknown[] = [];
      let cursor: string | undefined;
      for (let n = 10; ; n++) {
        const page = await app.call('traces.list', { ...filter, limit: 1, ...(cursor ? { cursor } : {}) });
        paged.push(...page.traces.map(({ outcome_ref }) => outcome_ref));
        // Another trace is sealed between any two pages.
        await app.call('entries.read', { entity_path: 'search', key: 'index' }, B);
        await seal(n, B, { task_input: 'limit', outcome_ref: `${JSON.stringify(filter)} ${n}` });
        if (!page.has_more) break;
        cursor = page.next_cursor as string;
      }
      expect(paged).toEqual(whole);
    }
  });

  it('looks at so many traces and no more, and goes on from there', async () => {
    const small = await openTestApp(backend, { maxScannedEntries: 3 });
    try {
      for (let n = 1; n <= 7; n++) {
        const outcome = { outcome_ref: `${n}`, outcome_type: n % 5 === 1 ? 'failure' : 'success' } as const;
        await small.call('outcomes.commit', outcome, A);
      }
      const found: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await small.call('traces.list', { outcome_type: 'failure', ...(cursor ? { cursor } : {}) });
        found.push(...page.traces.map(({ outcome_ref }) => outcome_ref));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(found).toEqual(['6', '1']);
    } finally {
      await small.close();
    }
  });
});
