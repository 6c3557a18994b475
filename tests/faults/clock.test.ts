import { describe, expect, it, onTestFinished } from 'vitest';
import { listEventsFrom } from '../../packages/server/src/kernel/event-queries.ts';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { type Backend, backends, openTestApp, type TestApp } from '../support/app.ts';

const HOUR_MS = 3_600_000;

async function open(backend: Backend): Promise<TestApp> {
  const app = await openTestApp(backend);
  onTestFinished(() => app.close());
  return app;
}

const write = async (app: TestApp, value: number) =>
  (await app.call('entries.write', { entity_path: 'clock', key: 'k', value })).provenance.written_at;

const at = (app: TestApp) => new Date(app.clock.now()).toISOString();

describe.each(backends)('a clock that was ahead for a moment, on %s', (backend) => {
  it('does not hold the times of later writes, and every time still names a state', async () => {
    const app = await open(backend);
    await write(app, 1);
    const before = at(app);
    app.clock.advance(HOUR_MS);
    const ahead = await write(app, 2);
    app.clock.advance(-HOUR_MS + 1000);
    const third = await write(app, 3);
    expect(third).toBe(at(app));
    app.clock.advance(1000);
    await write(app, 4);
    app.clock.advance(1000);
    const valueAt = async (as_of: string) =>
      (await app.call('entries.read', { entity_path: 'clock', key: 'k', as_of })).value;
    expect([await valueAt(before), await valueAt(third), await valueAt(at(app)), await valueAt(ahead)]).toEqual([
      1, 3, 4, 4,
    ]);
    const events = async (range: { since?: string; until?: string }) =>
      (await app.call('agents.timeline', { agent_id: 'agent/test', ...range })).events.map(({ summary }) =>
        Number(summary.at(-1)),
      );
    expect(await events({ since: third })).toEqual([4, 3]);
    expect(await events({ until: third })).toEqual([2, 1]);
    await app.call('tags.create', { name: 'then', at: third });
    expect((await app.call('entries.read', { entity_path: 'clock', key: 'k', branch: 'tags/then' })).value).toBe(3);
  });

  it('is corrected once, in the log, and small differences between servers are not', async () => {
    const app = await open(backend);
    await write(app, 1);
    app.clock.advance(-30_000);
    const held = await write(app, 2);
    app.clock.advance(-HOUR_MS);
    await write(app, 3);
    await write(app, 4);
    const { read } = app.kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT);
    const types = await listEventsFrom(read, SELF_HOSTED_ACCOUNT, { from: 1, limit: 10 });
    expect(types.map(({ event_type }) => event_type)).toEqual(['write', 'write', 'clock_corrected', 'write', 'write']);
    const { events } = await app.call('log.list', {});
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(events[2]?.details).toEqual({ from: held, to: events[3]?.created_at });
    expect(held).toBe(new Date(app.clock.now() + HOUR_MS + 30_000).toISOString());
  });
});
