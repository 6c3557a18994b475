import { dirname } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Check } from '../../packages/server/src/cli/doctor/check.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { caughtUp } from '../recall/caught-up.ts';
import { fillHouse, settingsFor } from '../recall/house.ts';
import { listen, openTestApp } from '../support/app.ts';
import { always, type ModelServer, startModelServer } from '../support/model-server.ts';
import { type Desk, openDesk } from './support.ts';

const KEY = 'sk-a-key-that-nobody-may-see';

describe('mem doctor on servers of models', () => {
  let desk: Desk;
  let models: ModelServer;
  beforeAll(async () => {
    models = await startModelServer();
    desk = await openDesk({ PATH: dirname(process.execPath) });
  });
  afterAll(async () => {
    await desk.remove();
    await models.close();
  });
  beforeEach(() => {
    models.misbehaves = undefined;
  });
  const examine = async (more: Record<string, string> = {}) => {
    const env = {
      ...{ MEM_EMBEDDER: 'openai', MEM_EMBEDDER_URL: models.url, MEM_EMBEDDER_MODEL: 'small', MEM_EMBEDDER_KEY: KEY },
      ...{ MEM_RERANKER: 'tei', MEM_RERANKER_URL: models.url, MEM_RERANKER_KEY: KEY, ...more },
    };
    const { out } = await desk.inProcess(['doctor', '--json'], { env });
    expect(out).not.toContain(KEY);
    const { checks } = JSON.parse(out) as { checks: Check[] };
    return (name: string) => checks.find((check) => check.name === name);
  };

  it('says what they answer', async () => {
    const of = await examine();
    expect(of('embedder')).toMatchObject({ level: 'ok', found: expect.stringContaining('96 dimensions') });
    expect(of('embedder')?.found).toContain(`small at ${models.url}/v1/embeddings`);
    expect(of('reranker')).toMatchObject({ level: 'ok', found: expect.stringContaining(`${models.url}/rerank`) });
  });

  it('says what is wrong with them, and what to do', async () => {
    models.misbehaves = always(401, { error: `no such key ${KEY}` });
    expect((await examine())('embedder')).toMatchObject({
      level: 'fail',
      found: expect.stringContaining('it answers 401: see the key'),
      todo: 'correct MEM_EMBEDDER_URL, MEM_EMBEDDER_MODEL or MEM_EMBEDDER_KEY',
    });
    models.misbehaves = always(200, { hello: 1 });
    const of = await examine();
    expect(of('embedder')).toMatchObject({ level: 'fail', found: expect.stringContaining('no list `data`') });
    expect(of('reranker')).toMatchObject({ level: 'fail', found: expect.stringContaining('no list `results`') });
    models.misbehaves = undefined;
    const away = await examine({ MEM_EMBEDDER_URL: 'http://127.0.0.1:9/v1' });
    expect(away('embedder')).toMatchObject({ level: 'fail', todo: expect.stringContaining('start the server') });
  });

  it('warns of vectors that are cut, and fails on those that are too short', async () => {
    expect((await examine({ MEM_EMBEDDER_DIMENSIONS: '64' }))('embedder')).toMatchObject({
      level: 'warn',
      found: expect.stringContaining('96 dimensions, which are cut to 64'),
    });
    expect((await examine({ MEM_EMBEDDER_DIMENSIONS: '128' }))('embedder')).toMatchObject({ level: 'fail' });
  });
});

it('mem doctor names the embedder of a running server, and what is wrong with it', async () => {
  const models = await startModelServer();
  const app = await openTestApp('sqlite', { settings: settingsFor(models) });
  const server = await listen(app);
  const desk = await openDesk({ PATH: dirname(process.execPath) });
  onTestFinished(async () => {
    await desk.remove();
    await server.close();
    await app.close();
    await models.close();
  });
  const embedder = async () => {
    const { out } = await desk.inProcess(['doctor', '--json'], { env: { MEM_HTTP_URL: server.url } });
    return (JSON.parse(out) as { checks: Check[] }).checks.filter(({ name }) => name === 'embedder');
  };
  models.misbehaves = always(401, KEY);
  await fillHouse(app);
  await caughtUp(app);
  expect(await embedder()).toMatchObject([
    { level: 'warn', found: expect.stringMatching(/^small of the server, 0% .*refuses.*mem-static-256 compares/) },
  ]);
  models.misbehaves = undefined;
  app.clock.advance(3_600_000);
  await caughtUp(app);
  expect(await embedder()).toEqual([{ name: 'embedder', level: 'ok', found: 'small' }]);
  const { entries } = await app.call('entries.list', { entity_path: 'house' });
  expect(entries.map(({ recall_count }) => recall_count)).toEqual(entries.map(() => 0));
});

describe('the variables of models', () => {
  const read = (env: Record<string, string>) => readConfig(env).settings;

  it.each([
    ['http://127.0.0.1:11434', 'http://127.0.0.1:11434/v1/embeddings'],
    ['https://api.example/v1/', 'https://api.example/v1/embeddings'],
    ['https://api.example/x/embeddings?api-version=2', 'https://api.example/x/embeddings?api-version=2'],
  ])('make of the address %s the address %s', (MEM_EMBEDDER_URL, url) => {
    const settings = read({ MEM_EMBEDDER: 'openai', MEM_EMBEDDER_URL, MEM_EMBEDDER_MODEL: 'm' });
    expect(settings.embedding_server).toEqual({
      ...{ url, model: 'm', key: null, dimensions: null, batch: 64, timeout_ms: 1_000, tokens_per_minute: null },
    });
  });

  it.each([
    [{ MEM_EMBEDDER: 'openai' }, 'MEM_EMBEDDER_URL must be set: MEM_EMBEDDER is openai'],
    [{ MEM_EMBEDDER_URL: 'http://a' }, 'nothing would use it: set MEM_EMBEDDER to openai'],
    [{ MEM_EMBEDDER_MODEL: 'm' }, 'MEM_EMBEDDER_MODEL is set, but nothing would use it: set MEM_EMBEDDER to openai'],
    [{ MEM_EMBEDDER: 'off', MEM_EMBEDDER_KEY: 'k' }, 'MEM_EMBEDDER_KEY is set, but nothing would use it'],
    [{ MEM_RERANKER_MODEL: 'm' }, 'MEM_RERANKER_MODEL is set, but nothing would use it: set MEM_RERANKER to cohere'],
    [{ MEM_RERANKER_KEY: 'k' }, 'MEM_RERANKER_KEY is set, but nothing would use it'],
    [{ MEM_EMBEDDER: 'openai', MEM_EMBEDDER_URL: 'ftp://a', MEM_EMBEDDER_MODEL: 'm' }, 'must be an http or https'],
    [{ MEM_EMBEDDER: 'openai', MEM_EMBEDDER_URL: 'http://u:p@a', MEM_EMBEDDER_MODEL: 'm' }, 'no user or password'],
    [{ MEM_RERANKER: 'cohere', MEM_RERANKER_URL: 'http://a' }, 'MEM_RERANKER_MODEL must be set'],
    [{ MEM_EMBEDDER_DIMENSIONS: '5000' }, 'MEM_EMBEDDER_DIMENSIONS must be between 8 and 4096'],
  ] as Record<string, string>[][])('that do not fit together stop the start: %o', (env, problem) => {
    expect(() => readConfig(env as Record<string, string>)).toThrow(problem as never);
  });

  it('warn of a key that would travel in the open', () => {
    const env = { MEM_EMBEDDER: 'openai', MEM_EMBEDDER_MODEL: 'm', MEM_EMBEDDER_KEY: KEY };
    const warned = (MEM_EMBEDDER_URL: string) => readConfig({ ...env, MEM_EMBEDDER_URL }).warnings.join('\n');
    expect(warned('http://models.example/v1')).toContain('MEM_EMBEDDER_URL is not https');
    expect(warned('http://127.0.0.1:11434')).toBe('');
    expect(warned('https://models.example/v1')).toBe('');
  });
});
