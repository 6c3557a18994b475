import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addReadEdges } from '../../packages/server/src/modules/graph/stored-edges.ts';
import { dump } from '../contract/dump.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { arrows, commitOutcome, entryOf, link, writeEntries } from './support.ts';

const A = { agent_id: 'agent/a' };
const B = { agent_id: 'agent/b' };

describe.each(backends)('an entry that is erased, on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend);
    await writeEntries(app, ['svc/gone', 'svc/kept'], { ...A, pattern_refs: ['retry'] });
    const causes = [await entryOf(app, 'svc/gone'), await entryOf(app, 'svc/kept')];
    await commitOutcome(app, { ...A, outcome_ref: 'run', causes: ['svc/gone', 'svc/kept'] });
    await link(app, (work) => {
      addReadEdges(
        work,
        causes.map((cause) => ({ ...cause, agent_id: 'agent/b', written_by: 'agent/a', count: 1 })),
      );
    });
    const edge = { source: 'svc/gone', source_type: 'entry', relation: 'explains', target: 'run' } as const;
    for (const [shared, as] of [
      [true, A],
      [true, B],
      [false, B],
    ] as const)
      await app.call('graph.link', { ...edge, target_type: 'outcome', shared }, as);
    await app.call('graph.link', { ...edge, source: 'svc/kept', target_type: 'outcome' }, A);
  });
  afterEach(() => app.close());

  const erase = (as: { agent_id: string }, dry_run = false) =>
    app.call('entries.erase', { entity_path: 'svc', key: 'gone', dry_run }, as);

  it('leaves no edge behind, and the edges of others as they were', async () => {
    await erase(A);
    expect((await app.call('graph.neighbors', { entity: 'svc/gone' }, B)).edges).toEqual([]);
    expect(arrows(await app.call('graph.neighbors', { entity: 'svc', depth: 1 }, B))).toEqual([
      'svc/kept -references-> retry',
      'svc/kept -informed-> run',
      'svc/kept -explains-> run',
      'agent/a -wrote-> svc/kept',
      'agent/b -read-> svc/kept',
    ]);
    expect(arrows(await app.call('graph.neighbors', { entity: 'agent/b' }, B))).toEqual([
      'agent/b -read-> svc/kept',
      'agent/b -learned_from-> agent/a',
    ]);
  });

  it('is not named any more where an edge was stated, but what was kept still is', async () => {
    await erase(A);
    const { edge_statements = [], events = [], edges = [] } = await dump(app);
    expect(edge_statements).toHaveLength(1);
    const stated = events.map((line) => JSON.parse(line)).filter((event) => event.event_type === 'edge_added');
    expect(stated.map((event) => JSON.parse(event.details).source ?? 'erased').sort()).toEqual([
      'erased',
      'erased',
      'erased',
      'svc/kept',
    ]);
    expect(JSON.stringify([edge_statements, events, edges])).not.toContain('gone');
  });

  it('has no old edges when it is written again', async () => {
    await erase(A);
    await writeEntries(app, ['svc/gone'], B);
    expect(arrows(await app.call('graph.neighbors', { entity: 'svc/gone' }, B))).toEqual(['agent/b -wrote-> svc/gone']);
  });
});
