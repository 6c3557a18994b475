import { parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCompiling } from '../cortex/compiled.ts';
import { backends, type TestApp } from '../support/app.ts';
import { caughtUp } from './caught-up.ts';

const X = { agent_id: 'agent/x' };
const Y = { agent_id: 'agent/y' };
const OUTSIDE = { agent_id: 'agent/z' };

/** Everything that makes an entry worth knowing, once. */
async function live(app: TestApp, { path, shared, as }: { path: string; shared: boolean; as: typeof X }) {
  const write = (key: string, more: object = {}) =>
    app.call('entries.write', { entity_path: path, key, value: `${key} of ${path}`, shared, ...more } as never, as);
  for (const key of ['right', 'wrong', 'plain']) await write(key);
  await write('steps', { memory_type: 'procedure' });
  const session = { ...as, session_id: `${path}-s` };
  for (const key of ['right', 'wrong']) await app.call('entries.read', { entity_path: path, key }, session);
  const failed = { outcome_type: 'critical_failure', causal_entry_keys: [`${path}/wrong`], summary: `${path} failed` };
  const outcome = { outcome_ref: `${path}-ref`, outcome_type: 'success', causal_entry_keys: [`${path}/right`] };
  const tool_calls = [{ tool_name: `${path}-tool`, arguments: {} }];
  await app.call('outcomes.commit', { ...outcome, attempts: [failed], tool_calls } as never, session);
}

describe.each(backends)('a briefing of what others may not see, on %s', (backend) => {
  let hiding: TestApp;
  let empty: TestApp;
  beforeAll(async () => {
    [hiding, empty] = [await openCompiling(backend), await openCompiling(backend)];
    for (const app of [hiding, empty]) await live(app, { path: 'open', shared: true, as: Y });
    await live(hiding, { path: 'secret', shared: false, as: X });
    await live(hiding, { path: 'open', shared: true, as: Y });
    await live(empty, { path: 'open', shared: true, as: Y });
    for (const app of [hiding, empty]) await caughtUp(app);
  });
  afterAll(() => Promise.all([hiding.close(), empty.close()]));

  const ways = [
    {},
    { entity_path: 'secret' },
    { entity_path: 'open' },
    { agent: X.agent_id },
    { agent: X.agent_id, entity_path: 'secret' },
    { agent: Y.agent_id },
    { max_tokens: 300 },
    { compact: true },
  ];
  /** Times and numbers of the log differ between two stores; nothing else may. */
  const shown = (answer: unknown) =>
    JSON.stringify(answer).replaceAll(/"\d{4}-\d\d-\d\dT[^"]+"|"(seq|staleness_ms)":\d+/g, '');

  it.each(ways)('%j is the same as if it did not exist', async (input) => {
    const seen = await Promise.all([hiding, empty].map((app) => app.call('briefing.read', input, OUTSIDE)));
    expect(shown(seen[0])).toBe(shown(seen[1]));
    expect(shown(seen[0])).not.toMatch(/of secret|secret-|secret failed/);
  });

  it('shows it to its author', async () => {
    const mine = await hiding.call('briefing.read', { entity_path: 'secret' }, X);
    expect(mine.validated.map(({ key }) => key)).toEqual(['right']);
    expect(mine.discredited).toMatchObject([{ key: 'wrong', replaced_by: [{ key: 'right' }] }]);
    expect(mine.procedures.map(({ key }) => key)).toEqual(['steps']);
    expect(mine.tried_here.length).toBeGreaterThan(0);
    expect(mine.last_visit).not.toBeNull();
  });

  it('shows a key nothing outside of its scope, whatever it asks', async () => {
    const read = [[parseGlob('elsewhere/**') as never]];
    const scoped = { ...Y, key: { key_id: 'k', name: 'k', type: 'agent' as const, read } };
    for (const input of ways) {
      const answer = await hiding.call('briefing.read', input, scoped as never);
      expect({ ...answer, next_steps: [], agent_id: '' }).toEqual({
        ...{ digests: [], total: 0, agent_id: '', last_visit: null, validated: [], discredited: [], changed: [] },
        ...{
          procedures: [],
          tried_here: [],
          who_to_ask: [],
          consolidation_notice: null,
          next_steps: [],
          left_out: [],
          tokens: 0,
        },
      });
    }
  });

  it('shows nothing that has expired, also before the sweep', async () => {
    const at = { entity_path: 'soon', key: 'gone' };
    await hiding.call('entries.write', { ...at, value: 'for a second', ttl_seconds: 1 }, Y);
    const changed = async () => (await hiding.call('briefing.read', { entity_path: 'soon' }, X)).changed;
    expect(await changed()).toHaveLength(1);
    hiding.clock.advance(1_100);
    expect(await changed()).toEqual([]);
  });
});
