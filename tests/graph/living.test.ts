import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { arrows, writeEntries } from './support.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b', session_id: 'sess-1' };

describe.each(backends)('a session that ends in an outcome, on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    for (const name of ['svc/retry', 'svc/timeout']) await writeEntries(app, [name], A);
    for (const key of ['timeout', 'retry']) await app.call('entries.read', { entity_path: 'svc', key }, B);
    await app.call('outcomes.commit', { outcome_ref: 'deploy-7', outcome_type: 'success' }, B);
  });
  afterAll(() => app.close());

  const of = async (entity: string) => arrows(await app.call('graph.neighbors', { entity }, A)).sort();

  it('ties its agent to what it read and to whom it learned from', async () => {
    expect(await of('agent/b')).toEqual([
      'agent/b -learned_from-> agent/a',
      'agent/b -read-> svc/retry',
      'agent/b -read-> svc/timeout',
    ]);
  });

  it('ties the outcome to what informed it, and that to each other', async () => {
    expect(await of('deploy-7')).toEqual(['svc/retry -informed-> deploy-7', 'svc/timeout -informed-> deploy-7']);
    expect(await of('svc/retry')).toEqual([
      'agent/a -wrote-> svc/retry',
      'agent/b -read-> svc/retry',
      'svc/retry -co_occurs_with-> svc/timeout',
      'svc/retry -informed-> deploy-7',
    ]);
  });
});
