import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Module } from '../../packages/server/src/kernel/index.ts';
import { backends, fakeClock, openTestApp, readyPlace, type TestApp } from '../support/app.ts';

const entry = { entity_path: 'a', key: 'k', value: 1 };

describe.each(backends)('maintenance after an event on %s', (backend) => {
  it('is done by the next server when this one ends first', async () => {
    const runs: number[] = [];
    const clock = fakeClock();
    const after = { event_types: ['write'], delay_seconds: 60 };
    const run = async () => void runs.push(clock.now());
    const module: Module = {
      name: 'tidy',
      migrations: [],
      handlers: {},
      maintenance: [{ name: 'tidy.all', every_seconds: 86_400, after, run }],
    };
    const place = await readyPlace(backend);
    onTestFinished(() => place.remove());
    const nextRun = async ({ kernel }: TestApp) =>
      (await kernel.services.maintenance.states()).find(({ task }) => task === 'tidy.all')?.next_run_at;

    const first = await openTestApp(backend, { place, clock, modules: [module] });
    const installed = clock.now();
    expect(await nextRun(first)).toBe(installed + 86_400_000);
    clock.advance(1000);
    await first.call('entries.write', entry);
    await vi.waitFor(async () => expect(await nextRun(first)).toBe(installed + 61_000));
    clock.advance(1000);
    await first.call('entries.write', { ...entry, value: 2 });
    await first.close();

    clock.advance(60_000);
    const second = await openTestApp(backend, { place, clock, modules: [module], sweepSeconds: 0.05 });
    onTestFinished(() => second.close());
    expect(await nextRun(second)).toBe(installed + 61_000);
    await vi.waitFor(async () => expect(await nextRun(second)).toBe(clock.now() + 86_400_000), 5000);
    expect(runs).toEqual([clock.now()]);
  });
});
