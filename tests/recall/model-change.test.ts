import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Settings } from '../../packages/server/src/kernel/index.ts';
import { backends, fakeClock, openTestApp, readyPlace, type StorePlace, type TestApp } from '../support/app.ts';
import { always, type ModelServer, startModelServer } from '../support/model-server.ts';
import { caughtUp } from './caught-up.ts';
import { A, ask, consumerOf, fillHouse, settingsFor, vectorsOf, write } from './house.ts';

const DAY = 86_400_000;
const NEW = 'recall.embed_openai_large';

describe.each(backends)('a change of the embedder, on %s', (backend) => {
  let models: ModelServer;
  let place: StorePlace;
  let app: TestApp;
  const clock = fakeClock();
  const reopen = async (settings: Partial<Settings>) => {
    await app?.close();
    app = await openTestApp(backend, { place, clock, settings });
  };
  beforeAll(async () => {
    models = await startModelServer();
    place = await readyPlace(backend);
    await reopen(settingsFor(models));
    await fillHouse(app);
    await caughtUp(app);
    expect((await ask(app, 'Zahnarzt')).index).toEqual({ embedder: 'small', behind: 0 });
  });
  afterAll(async () => {
    await app.close();
    await place.remove();
    await models.close();
  });

  it('leaves questions to the old model until the new one has caught up, and shows how far it is', async () => {
    models.misbehaves = ({ body }, response) =>
      body.model === 'large' && always(503, {})({ path: '', authorization: undefined, body }, response) === true;
    await reopen(settingsFor(models, { model: 'large' }));
    await caughtUp(app);
    const { entries, index } = await ask(app, 'Zahnarzt');
    expect(entries[0]?.key).toBe('teeth');
    expect(index).toEqual({
      ...{ embedder: 'small', behind: 0 },
      fallback: { from: 'large', reason: 'building', progress: 0 },
    });
    expect(await vectorsOf(app, 'teeth')).toBe(2);
  });

  it('goes on where it was after a server ended in the middle', async () => {
    let left = 1;
    models.misbehaves = ({ body, ...rest }, response) =>
      body.model === 'large' && left-- <= 0 && always(503, {})({ ...rest, body }, response) === true;
    clock.advance(3_600_000);
    await caughtUp(app);
    const half = await consumerOf(app, NEW);
    const { last_seq } = await app.call('consumers.list', {}, A);
    expect(half?.seq).toBeGreaterThan(0);
    expect(half?.seq).toBeLessThan(last_seq);
    const { fallback } = (await ask(app, 'Zahnarzt')).index;
    expect(fallback?.progress).toBeGreaterThan(0);
    expect(fallback?.progress).toBeLessThan(1);
    models.misbehaves = undefined;
    const { length } = models.requests;
    await reopen(settingsFor(models, { model: 'large' }));
    clock.advance(3_600_000);
    await caughtUp(app);
    await caughtUp(app);
    expect((await ask(app, 'Zahnarzt')).index).toEqual({ embedder: 'large', behind: 0 });
    const again = models.requests.slice(length).flatMap(({ body }) => body.input ?? []);
    expect(again.filter((text) => text.includes('dentist'))).toEqual([]);
  });

  it('removes the vectors of the old model after a day without use, and keeps the built-in ones', async () => {
    expect(await vectorsOf(app, 'teeth')).toBe(3);
    clock.advance(2 * DAY);
    await app.jobs.sweep();
    expect(await vectorsOf(app, 'teeth')).toBe(2);
    expect((await ask(app, 'Zahnarzt')).index).toEqual({ embedder: 'large', behind: 0 });
  });

  it('back to the built-in one removes the rest, and forward again begins anew', async () => {
    await reopen({});
    expect((await ask(app, 'where is the dentist?')).index).toEqual({ embedder: 'mem-static-256', behind: 0 });
    clock.advance(2 * DAY);
    await app.jobs.sweep();
    expect(await vectorsOf(app, 'teeth')).toBe(1);
    await reopen(settingsFor(models, { model: 'large', dimensions: 32 }));
    await caughtUp(app);
    await caughtUp(app);
    expect((await ask(app, 'Zahnarzt')).index).toEqual({ embedder: 'large@32', behind: 0 });
    await reopen(settingsFor(models, { model: 'large' }));
    await caughtUp(app);
    await caughtUp(app);
    expect((await ask(app, 'Zahnarzt')).index).toEqual({ embedder: 'large', behind: 0 });
    expect(await vectorsOf(app, 'teeth')).toBe(3);
  });

  it('stays within a budget of tokens in a minute, for questions too', async () => {
    await reopen(settingsFor(models, { model: 'third', tokens_per_minute: 60 }));
    await caughtUp(app);
    await caughtUp(app);
    const spent = models.requests.filter(({ body }) => body.model === 'third');
    expect(spent.length).toBe(1);
    expect(await consumerOf(app, 'recall.embed_openai_third')).toMatchObject({ attempts: 0, dead_letters: [] });
    for (let minute = 0; minute < 12; minute++) {
      clock.advance(60_000);
      await app.jobs.sweep();
    }
    clock.advance(600_000);
    expect((await ask(app, 'Zahnarzt')).index).toEqual({ embedder: 'third', behind: 0 });
    const long = 'Zahnarzt '.repeat(100);
    await ask(app, long);
    expect((await ask(app, 'Zahnarzt')).index.fallback).toEqual({ from: 'third', reason: 'budget' });
    await write(app, 'late', 'A note that waits.');
    await caughtUp(app);
    expect((await consumerOf(app, 'recall.embed_openai_third'))?.last_error).toMatch(/^budget: /);
  });
});
