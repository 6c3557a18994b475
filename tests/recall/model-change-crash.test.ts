import { describe, expect, it, onTestFinished } from 'vitest';
import { startMem } from '../faults/support/mem-process.ts';
import { backends, fakeClock, openTestApp, readyPlace } from '../support/app.ts';
import { startModelServer } from '../support/model-server.ts';
import { caughtUp } from './caught-up.ts';
import { ask, fillHouse, settingsFor, vectorsOf } from './house.ts';

/** Entries of the house. */
const ENTRIES = 6;

describe.each(backends)('a server that changes the embedder, on %s', (backend) => {
  it('is followed by another after a kill -9: the old model serves, no text is embedded twice, none is lost', async () => {
    const models = await startModelServer();
    onTestFinished(() => models.close());
    const place = await readyPlace(backend);
    onTestFinished(() => place.remove());
    const clock = fakeClock(Date.now());
    const first = await openTestApp(backend, { place, clock, settings: settingsFor(models) });
    await fillHouse(first);
    await caughtUp(first);
    await first.close();

    let batches = 0;
    let pid = 0;
    models.misbehaves = ({ body }) => {
      if (body.model !== 'large' || ++batches === 1) return false;
      // Killed while it waits for its second batch, which is never answered.
      return process.kill(pid, 'SIGKILL');
    };
    const env = {
      ...{ MEM_DATA_DIR: place.options.dataDir, MEM_POSTGRES_DSN: place.options.postgresDsn, MEM_EMBEDDER: 'openai' },
      ...{ MEM_EMBEDDER_URL: `${models.url}/v1`, MEM_EMBEDDER_MODEL: 'large', MEM_EMBEDDER_BATCH: '4' },
    };
    const watch = (_: () => string, started: number) => {
      pid = started;
    };
    const { end, output } = await startMem(env, { watch });
    expect((await end).signal, output()).toBe('SIGKILL');
    models.misbehaves = undefined;
    const embedded = models.requests.filter(({ body }) => body.model === 'large')[0]?.body.input ?? [];

    const app = await openTestApp(backend, { place, clock, settings: settingsFor(models, { model: 'large' }) });
    onTestFinished(() => app.close());
    const { entries, index } = await ask(app, 'Zahnarzt');
    expect(entries[0]?.key).toBe('teeth');
    expect(index).toMatchObject({ embedder: 'small', behind: 0, fallback: { from: 'large', reason: 'building' } });
    expect(index.fallback?.progress).toBeGreaterThan(0);
    const { length } = models.requests;
    // The claim of the server that died ends.
    clock.advance(60_000);
    for (let n = 0; n < 3; n++) await caughtUp(app);
    expect((await ask(app, 'Zahnarzt')).index).toEqual({ embedder: 'large', behind: 0 });
    const again = models.requests.slice(length).flatMap(({ body }) => body.input ?? []);
    expect(embedded.length).toBeGreaterThan(0);
    expect(again.filter((text) => embedded.includes(text))).toEqual([]);
    // Of the built-in embedder, the old model and the new one.
    expect(await vectorsOf(app)).toBe(3 * ENTRIES);
  });
});
