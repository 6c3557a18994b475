import { describe, expect, it, onTestFinished } from 'vitest';
import { migrations } from '../../packages/server/src/modules/sessions/migrations.ts';
import { changeRows, rowsOf } from '../entries/support.ts';
import { backends, openTestApp } from '../support/app.ts';
import { DOER, flush, keysOf, writeAll } from './support.ts';

const TYPES = {
  sqlite: { engine: 'sqlite', text: 'TEXT', int: 'INTEGER', real: 'REAL' },
  postgres: { engine: 'postgres', text: 'TEXT COLLATE "C"', int: 'BIGINT', real: 'DOUBLE PRECISION' },
} as const;

const at = (key: string) => ({ entity_path: 'checkout', key });
/** Numbers that need all their digits. */
const standing = {
  outcome_count: 3,
  success_count: 2,
  failure_count: 1,
  evidence_success: 0.1 + 0.2,
  evidence_failure: 1e-7,
  last_outcome: 'success',
  discredited_at: null,
  validators: ['agent/other'],
};
const CONFIDENCE = 0.1 + 0.7;
const DURATION = 12.345000000000002;

describe.each(backends)('an open session from before its reads were in pages, on %s', (backend) => {
  it('has read the same afterwards, to the last digit, and goes on', async () => {
    const app = await openTestApp(backend);
    onTestFinished(() => app.close());
    await writeAll(app, ['a', 'b', 'c', 'd'].map(at));
    await app.call('sessions.record_context', { label: 'x', summary: '' }, DOER);
    const entries = await rowsOf<{ account_id: string; key: string; entry_id: number }>(
      app,
      'SELECT account_id, key, entry_id FROM entries ORDER BY key',
    );
    await changeRows(app, 'ALTER TABLE sessions DROP COLUMN last_page');
    await changeRows(app, 'ALTER TABLE sessions DROP COLUMN branch');
    await changeRows(app, 'DROP TABLE session_reads');
    const ddl = TYPES[backend];
    const before = migrations.filter(({ version }) => version < 2).flatMap(({ up }) => up(ddl));
    for (const text of before.filter((text) => text.includes('session_reads'))) await changeRows(app, text);
    for (const [i, { account_id, key, entry_id }] of entries.slice(0, 3).entries())
      await changeRows(
        app,
        `INSERT INTO session_reads (account_id, agent_id, session, entry_id, version, attempt, no, branch, entity_path,
          key, visible_to, written_by, confidence, standing, read_at, duration_ms)
          VALUES (?, ?, ?, ?, 1, 0, ?, 'main', 'checkout', ?, '', 'agent/author', ?, ?, ?, ?)`,
        ...[account_id, DOER.agent_id, DOER.session_id, entry_id, 100 - i, key, CONFIDENCE],
        ...[i === 0 ? JSON.stringify(standing) : null, 1763197299123, DURATION],
      );
    await changeRows(app, 'UPDATE sessions SET reads = 3');
    await changeRows(app, 'UPDATE accounts SET item_no = 100');
    const after = migrations.filter(({ version }) => version >= 2).flatMap(({ up }) => up(ddl));
    for (const text of after) await changeRows(app, text);

    const { causal_entries } = await app.call('sessions.explain', {}, DOER);
    expect(keysOf(causal_entries)).toEqual(['c', 'b', 'a']);
    for (const entry of causal_entries)
      expect(entry).toMatchObject({
        confidence: CONFIDENCE,
        duration_ms: DURATION,
        read_at: new Date(1763197299123).toISOString(),
        written_by: 'agent/author',
      });
    expect(causal_entries.map(({ evidence_status, success_count }) => [evidence_status, success_count])).toEqual([
      ['untested', 0],
      ['untested', 0],
      ['contested', 2],
    ]);
    const pages = await rowsOf<{ reads: string }>(app, 'SELECT reads FROM session_reads ORDER BY no DESC LIMIT 1');
    const [first] = JSON.parse(pages[0]?.reads as string);
    expect(first).toEqual([entries[0]?.entry_id, 1, 1763197299123, DURATION, CONFIDENCE, expect.anything()]);
    expect(first[5]).toEqual([3, 2, 1, 0.1 + 0.2, 1e-7, null]);

    for (const key of ['a', 'd']) await app.call('entries.read', at(key), DOER);
    await flush(app);
    expect(keysOf((await app.call('sessions.explain', {}, DOER)).causal_entries)).toEqual(['c', 'b', 'a', 'd']);
    expect(await rowsOf(app, 'SELECT reads FROM sessions')).toEqual([{ reads: 4 }]);
  });
});
