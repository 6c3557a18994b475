import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addReadEdges } from '../../packages/server/src/modules/graph/stored-edges.ts';
import { type Backend, backends, openTestApp, type TestApp } from '../support/app.ts';
import { arrows, commitOutcome, entryOf, type Graph, link, one, writeEntries } from './support.ts';

const X = { agent_id: 'agent/x' };
const Y = { agent_id: 'agent/y' };
const SECRETS = Array.from({ length: 30 }, (_, i) => `svc/secret-${i}`);
const OPEN = ['svc/open-1', 'svc/open-2', 'svc/open-3'];

/** The actions of X and Y, with or without the private entries of X. */
async function live(backend: Backend, isHiding: boolean): Promise<TestApp> {
  const app = await openTestApp(backend, { maxScannedEntries: 100 });
  const state = (target: string, shared: boolean, as = X) =>
    app.call('graph.link', { source: 'agent/x', relation: 'trusts', target, shared, confidence: 0.5 }, as);
  if (isHiding) {
    await writeEntries(app, SECRETS, { ...X, shared: false, pattern_refs: ['retry'] });
    for (const [i] of SECRETS.entries()) await state(`agent/${i}`, false);
    await state('agent/y', false);
  }
  for (const name of OPEN) await writeEntries(app, [name], { ...Y, pattern_refs: ['retry'] });
  await state('agent/y', true, Y);
  const hidden = isHiding ? await Promise.all(SECRETS.map((name) => entryOf(app, name, 'agent/x'))) : [];
  await link(app, (work) =>
    addReadEdges(
      work,
      hidden.map((entry) => ({ ...entry, agent_id: 'agent/x', written_by: 'agent/x', count: 1 })),
    ),
  );
  const secrets = isHiding ? SECRETS : [];
  const [first = '', ...rest] = OPEN;
  const causes = [...secrets.slice(0, 10), first, ...secrets.slice(10, 20), ...rest, ...secrets.slice(20)];
  await commitOutcome(app, { ...X, outcome_ref: 'run', causes });
  if (isHiding) await commitOutcome(app, { ...X, outcome_ref: 'own', causes: secrets });
  return app;
}

describe.each(backends)('what an agent keeps to itself, on %s', (backend) => {
  let hiding: TestApp;
  let empty: TestApp;
  beforeEach(async () => {
    [hiding, empty] = await Promise.all([live(backend, true), live(backend, false)]);
  });
  afterEach(() => Promise.all([hiding.close(), empty.close()]));

  const ASKED = ['agent/x', 'agent/y', 'svc', 'retry', 'run', 'own', 'svc/open-2', 'svc/secret-1', 'agent/3'];

  it('shows in no answer to another agent, nor in its counts and limits', async () => {
    for (const entity of ASKED)
      for (const depth of [1, 4])
        for (const limit of [1, 3, 5, 200])
          for (const min_confidence of [0, 0.6]) {
            const ask = { entity, depth, limit, min_confidence };
            const seen = await hiding.call('graph.neighbors', ask, Y);
            expect(seen, JSON.stringify(ask)).toEqual(await empty.call('graph.neighbors', ask, Y));
            expect(JSON.stringify({ ...seen, entity: '' })).not.toContain('secret');
          }
  });

  it('shows to the agent itself, beside what everyone sees', async () => {
    const { edges } = await hiding.call('graph.neighbors', { entity: 'agent/x', relation: 'wrote' }, X);
    expect(arrows({ edges }).sort()).toEqual(SECRETS.map((name) => `agent/x -wrote-> ${name}`).sort());
    const trust = await hiding.call('graph.neighbors', { entity: 'agent/y', relation: 'trusts' }, X);
    expect(one(trust.edges)).toMatchObject({ source: 'agent/x', evidence_count: 2 });
    const seen = await hiding.call('graph.neighbors', { entity: 'agent/y', relation: 'trusts' }, Y);
    expect(one(seen.edges)).toMatchObject({ source: 'agent/x', evidence_count: 1 });
    const own = await hiding.call('graph.neighbors', { entity: 'own' }, X);
    expect(own.count).toBe(SECRETS.length);
    const run = await hiding.call('graph.neighbors', { entity: 'run' }, X);
    expect(run.count).toBe(SECRETS.length + OPEN.length);
  });
});

describe.each(backends)('an entry that changes hands, on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend);
  });
  afterEach(() => app.close());
  const at = { entity_path: 'svc', key: 'k' };
  const of = (as: { agent_id: string }): Promise<Graph> => app.call('graph.neighbors', { entity: 'svc/k' }, as);

  it('that becomes shared shows from the next write on', async () => {
    await app.call('entries.write', { ...at, value: 1, shared: false, pattern_refs: ['old'] }, X);
    expect(await of(Y)).toMatchObject({ count: 0, nodes: [] });
    await app.call('entries.write', { ...at, value: 2, shared: true }, X);
    expect(arrows(await of(Y))).toEqual(['agent/x -wrote-> svc/k']);
    expect((await of(Y)).edges[0]?.evidence_count).toBe(1);
    expect(arrows(await of(X))).toEqual(['svc/k -references-> old', 'agent/x -wrote-> svc/k']);
    expect((await of(X)).edges[1]?.evidence_count).toBe(2);
  });

  it('that becomes private is hidden with everything that was known of it', async () => {
    await app.call('entries.write', { ...at, value: 1, pattern_refs: ['p'] }, X);
    expect((await of(Y)).count).toBe(2);
    await app.call('entries.write', { ...at, value: 2, shared: false }, X);
    expect(await of(Y)).toMatchObject({ count: 0, nodes: [], truncated: false });
    for (const entity of ['agent/x', 'p', 'svc'])
      expect(await app.call('graph.neighbors', { entity, depth: 3 }, Y)).toMatchObject({ count: 0, nodes: [] });
    expect((await of(X)).count).toBe(2);
  });

  it('that was deleted and is written by another agent shows it nothing from before', async () => {
    await app.call('entries.write', { ...at, value: 1, shared: false, pattern_refs: ['p'] }, X);
    await app.call('entries.delete', at, X);
    await app.call('entries.write', { ...at, value: 2, pattern_refs: ['p'] }, Y);
    const { edges } = await of(Y);
    expect(arrows({ edges })).toEqual(['svc/k -references-> p', 'agent/y -wrote-> svc/k']);
    expect(edges.map(({ evidence_count }) => evidence_count)).toEqual([1, 1]);
  });
});
