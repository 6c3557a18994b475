import { describe, expect, it } from 'vitest';
import { upsertEdges } from '../../packages/server/src/modules/graph/queries.ts';
import { mergeEdges } from '../../packages/server/src/modules/graph/rules/edges.ts';
import { outcomeEdges } from '../../packages/server/src/modules/graph/rules/outcome-edges.ts';
import { deleteLedgerEdges } from '../../packages/server/src/modules/outcomes/migrations/earlier-edges.ts';
import { dump } from '../contract/dump.ts';
import { changeRows, rowsOf } from '../entries/support.ts';
import { backends, caller, openTestApp, type TestApp } from '../support/app.ts';
import { commitOutcome, entryOf, writeEntries } from './support.ts';

const A = { agent_id: 'agent/a' };
const SHARED = ['svc/1', 'svc/2', 'svc/3', 'svc/4'];
const PRIVATE = ['svc/p', 'svc/q'];
const MANY = Array.from({ length: 60 }, (_, i) => `many/${i}`);

const OUTCOMES = [
  { outcome_ref: 'run', causes: SHARED },
  { outcome_ref: 'run', causes: [...SHARED].reverse() },
  { outcome_ref: 'mixed', causes: ['svc/p', 'svc/2', 'svc/q', 'svc/1'] },
  { outcome_ref: 'own', causes: PRIVATE },
  { outcome_ref: 'many', causes: MANY },
  { outcome_ref: 'some', causes: [...MANY.slice(0, 49), ...PRIVATE, 'svc/3'] },
];

/** As edges were stored with every outcome. */
async function storeEdges(app: TestApp, { outcome_ref, causes }: (typeof OUTCOMES)[number]): Promise<void> {
  const visible_to = causes === PRIVATE ? 'agent/a' : '';
  const known = await Promise.all(causes.map((name) => entryOf(app, name, PRIVATE.includes(name) ? 'agent/a' : '')));
  const edges = mergeEdges(outcomeEdges({ outcome_ref, visible_to, success: true, causes: known }));
  const { account_id } = caller();
  const rows = edges.map((edge) => ({ ...edge, account_id, first_seen: 1, last_seen: 1 }));
  await app.kernel.services.database.transaction((tx) => tx.insertMany(upsertEdges, rows));
}

describe.each(backends)('a store that had the edges of outcomes, on %s', (backend) => {
  it('keeps those afterwards that do not follow from the ledger', async () => {
    const app = await openTestApp(backend);
    await writeEntries(app, [...SHARED, ...MANY], A);
    await writeEntries(app, PRIVATE, { ...A, shared: false });
    for (const outcome of OUTCOMES) await commitOutcome(app, { ...A, ...outcome });
    const stated = { source: 'svc/1', source_type: 'entry', target_type: 'outcome', relation: 'informed' } as const;
    await app.call('graph.link', { ...stated, target: 'run' }, A);
    await app.call('graph.link', { ...stated, target: 'another' }, A);
    const { edges } = await dump(app);
    for (const outcome of OUTCOMES) await storeEdges(app, outcome);
    expect((await rowsOf(app, 'SELECT * FROM edges')).length).toBeGreaterThan((edges ?? []).length + 150);
    for (const text of deleteLedgerEdges) await changeRows(app, text);
    const strip = (lines: string[] | undefined) =>
      (lines ?? []).map((line) => line.replace(/"first_seen":\d+,|"last_seen":\d+/g, '')).sort();
    expect(strip((await dump(app)).edges)).toEqual(strip(edges));
    await app.close();
  });
});
