import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { always, answer, type Misbehaviour, type ModelServer, startModelServer } from '../support/model-server.ts';
import { caughtUp } from './caught-up.ts';
import { A, ask, consumerOf, fillHouse, KEY, settingsFor, vectorsOf, write } from './house.ts';

const HOUR = 3_600_000;

const vectors = (dimensions: number, member: number | null = 1) => ({
  data: [{ index: 0, embedding: new Array(dimensions).fill(member) }],
});
const infinite = `{"data":[{"embedding":[${new Array(96).fill('1e39').join()}]}]}`;

const misbehaviours: [what: string, reason: string, misbehaves: Misbehaviour][] = [
  ['is late', 'timeout', () => new Promise(() => {})],
  ['fails', 'unreachable', always(500, KEY)],
  ['does not know the key', 'refused', always(401, KEY)],
  ['limits requests', 'limited', always(429, {}, { 'retry-after': '120' })],
  ['redirects', 'refused', always(307, {}, { location: 'http://127.0.0.1:9/' })],
  ['answers a page', 'bad_answer', always(200, '<html>')],
  ['answers too many vectors', 'bad_answer', always(200, { data: [{}, {}] })],
  ['answers other dimensions', 'bad_answer', always(200, vectors(16))],
  ['answers too many dimensions', 'bad_answer', always(200, vectors(5_000))],
  ['answers what is no number', 'bad_answer', always(200, vectors(96, null))],
  ['answers an infinite number', 'bad_answer', always(200, infinite)],
  ['answers more than it may', 'bad_answer', always(200, 'x'.repeat(2 ** 20))],
];

describe.each(backends)('an embedder outside the service, on %s', (backend) => {
  let models: ModelServer;
  let app: TestApp;
  beforeAll(async () => {
    models = await startModelServer();
    app = await openTestApp(backend, { settings: settingsFor(models) });
    await fillHouse(app);
  });
  afterAll(async () => {
    await app.close();
    await models.close();
  });
  beforeEach(() => {
    models.misbehaves = undefined;
    // What rested after a failure is asked again.
    app.clock.advance(HOUR);
  });

  it('is asked once it has the vectors of all entries; until then the built-in one serves, and the answer says so', async () => {
    const before = await ask(app, 'where is the dentist?');
    expect(before.entries[0]?.key).toBe('teeth');
    expect(before.index).toEqual({
      ...{ embedder: 'mem-static-256', behind: 0 },
      fallback: { from: 'small', reason: 'building', progress: 0 },
    });
    await caughtUp(app);
    const { entries, index } = await ask(app, 'wo ist der Zahnarzt?');
    expect(entries[0]?.key).toBe('teeth');
    expect(index).toEqual({ embedder: 'small', behind: 0 });
    expect(models.requests.every(({ authorization }) => authorization === `Bearer ${KEY}`)).toBe(true);
    expect(Math.max(...models.requests.map(({ body }) => body.input?.length ?? 0))).toBe(4);
  });

  it('scores on the scale of the built-in one, and what it has no vector of yet is found beside', async () => {
    await write(app, 'stairs', 'The tandlæge moved upstairs.');
    const { entries, index } = await ask(app, 'where is the dentist?');
    expect(index.embedder).toBe('small');
    expect(entries.map(({ key }) => key)).toContain('stairs');
    for (const { score, breakdown } of entries) {
      expect(Object.values(breakdown).reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 4);
      expect(Math.abs(breakdown.meaning)).toBeLessThan(1);
    }
    await caughtUp(app);
    expect((await ask(app, 'Zahnarzt')).entries.map(({ key }) => key)).toContain('stairs');
  });

  it.each(misbehaviours)(
    'that %s leaves a question to the built-in one, which says why',
    async (_, reason, misbehaves) => {
      await caughtUp(app);
      models.misbehaves = misbehaves;
      const { entries, index } = await ask(app, 'where is the dentist?', reason === 'timeout' ? { max_ms: 300 } : {});
      if (reason !== 'timeout') expect(entries[0]?.key).toBe('teeth');
      expect(index.fallback).toEqual({ from: 'small', reason });
      expect(JSON.stringify([entries, index])).not.toContain(KEY);
    },
  );

  it('that failed is left alone for a while', async () => {
    models.misbehaves = always(503, {});
    await ask(app, 'dentist');
    const { length } = models.requests;
    expect((await ask(app, 'dentist')).index.fallback?.reason).toBe('unreachable');
    expect(models.requests).toHaveLength(length);
    models.misbehaves = undefined;
    app.clock.advance(60_000);
    expect((await ask(app, 'dentist')).index).toEqual({ embedder: 'small', behind: 0 });
  });

  it('that is away holds no write, and goes on when it is back', async () => {
    await caughtUp(app);
    models.misbehaves = always(503, {}, { 'retry-after': '90' });
    for (const n of [1, 2, 3, 4, 5]) await write(app, `away-${n}`, `A note about boats, number ${n}.`);
    await caughtUp(app);
    const waiting = await consumerOf(app, 'recall.embed_openai_small');
    expect(waiting).toMatchObject({ attempts: 0, dead_letters: [], last_error: 'unreachable: it answers 503' });
    const { length } = models.requests;
    app.clock.advance(60_000);
    await app.jobs.sweep();
    expect(models.requests).toHaveLength(length);
    models.misbehaves = undefined;
    app.clock.advance(60_000);
    await app.jobs.sweep();
    const last = (await app.call('consumers.list', {}, A)).last_seq;
    expect(await consumerOf(app, 'recall.embed_openai_small')).toMatchObject({ seq: last, last_error: null });
  });

  it('that refuses one text has vectors of the others', async () => {
    models.misbehaves = ({ body }, to) =>
      (body.input ?? []).some((text) => text.includes('poison')) &&
      answer(to, { status: 400, body: { error: 'too long' } });
    await write(app, 'bad', 'A poison for the model.');
    await write(app, 'good', 'A bicycle of another colour.');
    await caughtUp(app);
    expect(await vectorsOf(app, 'bad')).toBe(1);
    expect(await vectorsOf(app, 'good')).toBe(2);
    expect((await ask(app, 'poison')).entries[0]?.key).toBe('bad');
  });

  it('loses what is deleted and erased', async () => {
    await write(app, 'secret', 'The vault code is tulip.');
    await caughtUp(app);
    expect(await vectorsOf(app, 'secret')).toBe(2);
    await app.call('entries.erase', { entity_path: 'house', key: 'secret' } as never, A);
    expect(await vectorsOf(app, 'secret')).toBe(0);
    await app.call('entries.delete', { entity_path: 'house', key: 'good' }, A);
    await caughtUp(app);
    expect((await ask(app, 'bicycle of another colour')).entries.map(({ key }) => key)).not.toContain('good');
  });
});
