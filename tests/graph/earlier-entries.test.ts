import { describe, expect, it } from 'vitest';
import { migrations } from '../../packages/server/src/modules/graph/migrations.ts';
import { dump } from '../contract/dump.ts';
import { changeRows } from '../entries/support.ts';
import { backends, openTestApp } from '../support/app.ts';

const TYPES = {
  sqlite: { engine: 'sqlite', text: 'TEXT', int: 'INTEGER', real: 'REAL' },
  postgres: { engine: 'postgres', text: 'TEXT COLLATE "C"', int: 'BIGINT', real: 'DOUBLE PRECISION' },
} as const;

describe.each(backends)('a store from before there was a graph, on %s', (backend) => {
  it('has the edges afterwards that its entries would have made', async () => {
    const app = await openTestApp(backend);
    const at = { entity_path: 'svc', key: 'k' };
    for (const value of [1, 2]) await app.call('entries.write', { ...at, value }, { agent_id: 'agent/a' });
    await app.call('entries.write', { ...at, value: 3, pattern_refs: ['p', 'q', 'p'] }, { agent_id: 'agent/b' });
    await app.call('entries.write', { ...at, value: 4, shared: false, pattern_refs: ['p'] }, { agent_id: 'agent/b' });
    await app.call('entries.write', { ...at, key: 'gone', value: 1 }, { agent_id: 'agent/a' });
    await app.call('entries.delete', { ...at, key: 'gone' }, { agent_id: 'agent/c' });
    const { edges = [] } = await dump(app);
    for (const name of ['edges', 'edge_statements']) await changeRows(app, `DROP TABLE ${name}`);
    await changeRows(app, 'DROP INDEX entries_by_id');
    for (const text of migrations.flatMap(({ up }) => up(TYPES[backend]))) await changeRows(app, text);
    // Only the references of the current version are known.
    const isKnown = (line: string) => !line.includes('references') || line.includes('"visible_to":"agent/b"');
    expect((await dump(app)).edges).toEqual(edges.filter(isKnown));
    expect(edges.filter((line) => line.includes('wrote'))).toHaveLength(4);
    await app.close();
  });
});
