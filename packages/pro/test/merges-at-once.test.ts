import type { Fault } from '@mem-service/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const entity_path = 'checkout';
const KEYS = ['a', 'b', 'c'];

describe.each(backends)('at once on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const write = (key: string, value: unknown, branch = 'main') =>
    app.call('entries.write', { entity_path, key, value, branch });

  it('two merges and a write: one wins, and nothing is half done', async () => {
    for (let round = 0; round < 5; round++) {
      for (const key of KEYS) await write(key, `base ${round}`);
      const sides = [`one/${round}`, `other/${round}`];
      for (const name of sides) await app.call('branches.create', { name });
      for (const name of sides) for (const key of KEYS) await write(key, name, name);
      const merge = (name: string) => app.call('branches.merge', { name, strategy: 'FAST_FORWARD' });
      const [one, other, written] = await Promise.allSettled([
        merge(sides[0] as string),
        merge(sides[1] as string),
        write('b', `written ${round}`),
      ]);
      expect(written.status).toBe('fulfilled');
      const { entries } = await app.call('entries.list', { entity_path });
      const values = Object.fromEntries(entries.map(({ key, value }) => [key, value]));
      const winners = [one, other].flatMap(({ status }, i) => (status === 'fulfilled' ? [sides[i]] : []));
      expect(winners.length).toBeLessThanOrEqual(1);
      for (const refused of [one, other])
        if (refused.status === 'rejected') expect((refused.reason as Fault).code).toBe('target_moved');
      const winner = winners[0] ?? `base ${round}`;
      expect([values.a, values.c]).toEqual([winner, winner]);
      expect(values.b).toBe(`written ${round}`);
    }
  });

  it('the same merge twice: it is made once', async () => {
    await app.call('branches.create', { name: 'exp' });
    await write('a', 1, 'exp');
    const merge = () => app.call('branches.merge', { name: 'exp', merge_id: 'm' });
    const [one, other] = await Promise.all([merge(), merge()]);
    expect(one).toEqual(other);
    expect((await app.call('merges.list', {})).merges).toHaveLength(1);
    expect((await app.call('entries.history', { entity_path, key: 'a' })).versions).toHaveLength(1);
  });
});
