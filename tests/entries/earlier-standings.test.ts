import { describe, expect, it, onTestFinished } from 'vitest';
import { DDL } from '../../packages/server/src/db/migrate.ts';
import { MOVED, migrations, unusedName } from '../../packages/server/src/modules/entries/migrations.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { changeRows, rowsOf } from './support.ts';

const A = { agent_id: 'agent/a' };
const at = (key: string) => ({ entity_path: 'svc', key });

/** Entries that nobody used, were read, judged, and judged and written again. */
async function fill(app: TestApp): Promise<void> {
  for (const key of ['unused', 'read', 'judged', 'both', 'again'])
    await app.call('entries.write', { ...at(key), value: key, confidence: 0.6 }, A);
  for (const key of ['read', 'both']) await app.call('entries.read', at(key), A);
  await app.kernel.services.noteBuffer.flushAll(true);
  const causal_entry_keys = ['judged', 'both', 'again'].map((key) => `svc/${key}`);
  await app.call('outcomes.commit', { outcome_ref: 'o', outcome_type: 'success', causal_entry_keys }, A);
  await app.call('entries.write', { ...at('again'), value: 'another' }, A);
}

/** As the rows of entries had it, in one table. */
async function moveBack(app: TestApp, isSqlite: boolean): Promise<void> {
  if (isSqlite)
    for (const name of MOVED) await changeRows(app, `ALTER TABLE entries RENAME COLUMN ${unusedName(name)} TO ${name}`);
  else
    for (const column of [
      'standing TEXT',
      'standing_no BIGINT DEFAULT 0',
      'recall_count BIGINT DEFAULT 0',
      'line_seq BIGINT',
      'line_no BIGINT',
    ])
      await changeRows(app, `ALTER TABLE entries ADD COLUMN ${column}`);
  const of = (name: string) =>
    `(SELECT s.${name} FROM standings AS s WHERE s.account_id = entries.account_id AND s.entry_id = entries.entry_id)`;
  const sets = MOVED.map((name) => `${name} = coalesce(${of(name)}, ${name})`);
  await changeRows(
    app,
    `UPDATE entries SET confidence = coalesce(${of('confidence')}, confidence), ${sets.join(', ')}`,
  );
  await changeRows(app, 'DROP TABLE standings');
}

describe.each(backends)('a store from before standings had a table, on %s', (backend) => {
  it('shows every entry as before, and goes on from there', async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await fill(app);
    const look = async () => ({
      list: (await app.call('entries.list', { entity_path: 'svc' }, A)).entries,
      stories: await Promise.all(['judged', 'both', 'again'].map((key) => app.call('entries.confidence', at(key), A))),
      rows: await rowsOf(app, 'SELECT * FROM standings ORDER BY entry_id'),
    });
    const before = await look();
    expect(before.rows.length).toBe(4);
    await moveBack(app, backend === 'sqlite');
    const steps = migrations.filter(({ version }) => [3, 5, 8].includes(version));
    for (const text of steps.flatMap(({ up }) => up(DDL[backend]))) await changeRows(app, text);
    expect(await look()).toEqual(before);
    await app.call(
      'outcomes.commit',
      { outcome_ref: 'p', outcome_type: 'failure', causal_entry_keys: ['svc/both'] },
      A,
    );
    expect(await app.call('entries.confidence', at('both'), A)).toMatchObject({ recomputed: { matches: true } });
  });

  it('has no column any more that a process of an older version could write standings to', async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    for (const name of MOVED)
      await expect(changeRows(app, `UPDATE entries SET ${name} = NULL`)).rejects.toThrow(
        /no such column|does not exist/,
      );
  });
});
