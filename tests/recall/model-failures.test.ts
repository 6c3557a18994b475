import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { always, type ModelServer, startModelServer } from '../support/model-server.ts';
import { caughtUp } from './caught-up.ts';
import { ask, fillHouse, KEY, settingsFor } from './house.ts';

const HOUR = 3_600_000;

describe.each(backends)('a model outside the service that fails from the start, on %s', (backend) => {
  const warnings: string[] = [];
  let models: ModelServer;
  let app: TestApp;
  beforeAll(async () => {
    models = await startModelServer();
    models.misbehaves = always(401, KEY);
    const reranking_server = {
      ...{ kind: 'tei' as const, url: `${models.url}/rerank`, model: '', key: KEY },
      ...{ top: 4, timeout_ms: 2_000 },
    };
    const settings = { ...settingsFor(models), reranking_server };
    app = await openTestApp(backend, { settings, onWarning: (warning) => warnings.push(warning) });
    await fillHouse(app);
  });
  afterAll(async () => {
    await app.close();
    await models.close();
  });

  it('is not said to be building, but why it cannot', async () => {
    await caughtUp(app);
    const { index } = await ask(app, 'where is the dentist?');
    expect(index.fallback).toEqual({ from: 'small', reason: 'refused', progress: 0 });
  });

  it('is named in the log once, without its key', async () => {
    app.clock.advance(HOUR);
    await caughtUp(app);
    await ask(app, 'where is the bicycle?');
    expect(warnings).toEqual([
      expect.stringMatching(/^the embedder makes no vectors \(refused: it answers 401.*MEM_EMBEDDER_URL/),
      expect.stringMatching(/^the reranker did not answer \(refused: it answers 401.*MEM_RERANKER_URL/),
    ]);
    expect(warnings.join()).not.toContain(KEY);
  });

  it('is named again when it fails again after it worked, and serves in between', async () => {
    models.misbehaves = undefined;
    app.clock.advance(HOUR);
    await app.jobs.sweep();
    await caughtUp(app);
    expect((await ask(app, 'where is the dentist?')).index).toEqual({ embedder: 'small', behind: 0 });
    warnings.length = 0;
    models.misbehaves = always(503, {});
    for (const question of ['the lamp?', 'the bread?']) {
      await ask(app, question);
      app.clock.advance(HOUR);
    }
    expect(warnings.map((warning) => warning.split(' (')[0]).sort()).toEqual([
      'the embedder did not answer a question',
      'the reranker did not answer',
    ]);
  });
});
