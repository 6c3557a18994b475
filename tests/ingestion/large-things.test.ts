import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConnectorResult } from '../../packages/server/src/connectors/types.ts';
import { type Backend, backends, openTestApp } from '../support/app.ts';
import { connectorThat, hostOf } from '../support/connectors.ts';
import { longestTurnOf } from '../support/turns.ts';

/** 50, and a third more for a machine that is slower than most. */
const MOST_MS = 66;

const at = { entity_path: 'shop', key: 'large' };
const named = (from: number, count: number, text: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`member-${from + i}`, `${text} ${from + i}`]));
const timeOf = (minute: number) => new Date(Date.UTC(2025, 0, 1, 0, minute)).toISOString();

describe.each(backends)('a thing of thousands of members, on %s', (backend) => {
  /** The thing has so many thousand members. */
  async function openLarge(of: Backend, { thousands, text }: { thousands: number; text: string }) {
    const connectors = hostOf(
      connectorThat(async (events) => events.map(({ payload }) => ({ results: payload as ConnectorResult[] }))),
    );
    const app = await openTestApp(of, { connectors });
    onTestFinished(() => app.close());
    let count = 0;
    const receive = (value: object, more: object = {}) =>
      app.call('webhooks.receive', {
        ...{ connector: 'example', id: `d-${++count}`, event_type: 'build.failed' },
        payload: [{ operation: 'write', ...at, merge: true, value, ...more }],
      } as never);
    for (let part = 0; part < thousands; part++)
      await receive(named(part * 1000, 1000, text), { occurred_at: timeOf(0) });
    return { app, receive };
  }

  const many = { thousands: 8, text: 'x'.repeat(20) };
  const most = { thousands: 20, text: 'x'.repeat(10) };

  it.each([
    ['600 kB, later', many, (n: number) => timeOf(n + 1), 300],
    ['600 kB, of the same moment', many, () => timeOf(0), 300],
    ['600 kB, earlier', many, () => '2024-01-01T00:00:00Z', 300],
    ['100 kB, later, to 20,000 members', most, (n: number) => timeOf(n + 1), 50],
  ] as const)('takes a delivery of %s, in short turns', async (...[, size, time, chars]) => {
    const { app, receive } = await openLarge(backend, size);
    const longest = await longestTurnOf((n) =>
      receive(named(500, 1000, `y${n}`.repeat(chars)), { occurred_at: time(n) }),
    );
    expect(longest).toBeLessThan(MOST_MS);
    const { value } = (await app.call('entries.read', at)) as { value: object };
    expect(Object.keys(value)).toHaveLength(size.thousands * 1000);
  });
});
