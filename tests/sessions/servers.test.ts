import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../faults/support/mem-process.ts';
import { openTestApp, readyPlace, type StorePlace, type TestApp } from '../support/app.ts';

const AUTHOR = { agent_id: 'agent/author' };
const DOER = { agent_id: 'agent/doer', session_id: 'task-1' };
const at = { entity_path: 'checkout', key: 'policy' };

describe('two servers on one PostgreSQL', () => {
  let place: StorePlace;
  let one: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    place = await readyPlace('postgres');
    one = await openTestApp('postgres', { place });
    other = await openTestApp('postgres', { place });
    await one.call('entries.write', { ...at, value: 1, confidence: 0.7 }, AUTHOR);
    // Until both servers have started to listen, a read takes a moment to be visible on both.
    await until(
      async () => {
        await one.call('entries.read', at, DOER);
        const { causal_chain_length } = await other.call('sessions.explain', {}, DOER);
        return causal_chain_length === 1;
      },
      { what: 'each other' },
    );
    await other.call('outcomes.commit', { outcome_ref: 'first', outcome_type: 'success' }, DOER);
  });
  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
    await place.remove();
  });

  it.each([1, 2, 3, 4, 5])('what one was asked is in the session that the other seals at once (%i)', async (n) => {
    const key = `k${n}`;
    await one.call('entries.write', { entity_path: 'checkout', key, value: n }, AUTHOR);
    await one.call('entries.read', { entity_path: 'checkout', key }, DOER);
    const input = { outcome_ref: `deploy-${n}`, outcome_type: 'success' as const };
    const answer = await other.call('outcomes.commit', input, DOER);
    expect(answer.entries).toMatchObject([{ entity_path: 'checkout', key, applied: true }]);
  });

  it('an explanation by one has what the other was asked just now', async () => {
    const session = { ...DOER, session_id: 'task-2' };
    await one.call('entries.read', at, session);
    await other.call('entries.search', { query: 'policy' }, session);
    expect(await one.call('sessions.explain', {}, session)).toMatchObject({
      causal_entries: [at],
      query_events: [{ operation: 'search' }],
    });
  });
});
