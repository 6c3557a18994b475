import { describe, expect, it, onTestFinished } from 'vitest';
import { chainLines } from '../../packages/server/src/modules/outcomes/migrations/earlier-lines.ts';
import { changeRows, rowsOf } from '../entries/support.ts';
import { commitOutcome, writeEntries } from '../graph/support.ts';
import { type Backend, backends, openTestApp, type TestApp } from '../support/app.ts';
import { exportLines, importLines } from '../transfer/support.ts';

const A = { agent_id: 'agent/a' };
const NAMES = ['svc/1', 'svc/2', 'svc/3', 'svc/never'];

type HeadLine = { entry_id: number; line_seq: number | null; line_no: number | null };
type ChainedLine = {
  seq: number;
  no: number;
  entry_id: number | null;
  before_seq: number | null;
  before_no: number | null;
};

const headsOf = (app: TestApp) =>
  rowsOf(
    app,
    `SELECT entries.entry_id, standings.line_seq, standings.line_no FROM entries
      LEFT JOIN standings ON standings.account_id = entries.account_id AND standings.entry_id = entries.entry_id
      ORDER BY entries.entry_id`,
  ) as Promise<HeadLine[]>;
const linesOf = (app: TestApp) =>
  rowsOf(app, 'SELECT seq, no, entry_id, before_seq, before_no FROM evidence ORDER BY seq, no') as Promise<
    ChainedLine[]
  >;

/** What each entry should have: its lines, newest first. */
function chains(heads: readonly HeadLine[], lines: readonly ChainedLine[]) {
  const at = new Map(lines.map((line) => [`${line.seq} ${line.no}`, line]));
  return heads.map(({ entry_id, line_seq, line_no }) => {
    const chain: ChainedLine[] = [];
    for (let line = at.get(`${line_seq} ${line_no}`); line; line = at.get(`${line.before_seq} ${line.before_no}`))
      chain.push(line);
    return {
      entry_id,
      places: chain.map(({ seq, no }) => [seq, no]),
      isAll: chain.every((l) => l.entry_id === entry_id),
    };
  });
}

async function filled(backend: Backend): Promise<TestApp> {
  const app = await openTestApp(backend);
  onTestFinished(() => app.close());
  await writeEntries(app, NAMES, A);
  for (const causes of [['svc/1', 'svc/2'], ['svc/2'], ['svc/3', 'svc/1', 'svc/2'], ['svc/gone', 'svc/1']])
    await commitOutcome(app, { ...A, outcome_ref: `of ${causes.join()}`, causes });
  // Lines that count for nothing, and two about one entry in one outcome.
  await app.call('outcomes.commit', { ...replayed, causal_entry_keys: ['svc/1'] }, A);
  await app.call('outcomes.commit', { ...retried, causal_entry_keys: ['svc/1', 'svc/3'] }, A);
  await app.call('entries.write', { entity_path: 'svc', key: '1', value: 'another claim' }, A);
  await commitOutcome(app, { ...A, outcome_ref: 'last', causes: ['svc/1'] });
  return app;
}

const replayed = { outcome_ref: 'again', outcome_type: 'failure', attributes: { origin: 'repair' } } as const;
const retried = {
  outcome_ref: 'tried',
  outcome_type: 'success' as const,
  attempts: [{ outcome_type: 'failure', causal_entry_keys: ['svc/1'] }],
};

describe.each(backends)('the lines about an entry, on %s', (backend) => {
  it('are tied together from the newest back, whatever they did', async () => {
    const app = await filled(backend);
    const [heads, lines] = [await headsOf(app), await linesOf(app)];
    const chained = chains(heads, lines);
    expect(chained.map(({ places }) => places.length).sort()).toEqual([0, 2, 3, 7]);
    for (const { entry_id, places, isAll } of chained) {
      const own = lines.filter((line) => line.entry_id === entry_id).map(({ seq, no }) => [seq, no]);
      expect({ places, isAll }).toEqual({ places: own.reverse(), isAll: true });
    }
    expect(lines.filter(({ entry_id }) => entry_id === null)).toMatchObject([{ before_seq: null, before_no: null }]);
  });

  it('are tied the same in a store that had an index for them', async () => {
    const app = await filled(backend);
    const [heads, lines] = [await headsOf(app), await linesOf(app)];
    // The rows of entries had them then.
    for (const name of ['line_seq', 'line_no']) await changeRows(app, `ALTER TABLE entries ADD COLUMN ${name} BIGINT`);
    await changeRows(app, 'UPDATE evidence SET before_seq = NULL, before_no = NULL');
    for (const text of chainLines) await changeRows(app, text);
    expect(await rowsOf(app, 'SELECT entry_id, line_seq, line_no FROM entries ORDER BY entry_id')).toEqual(heads);
    expect(await linesOf(app)).toEqual(lines);
  });

  it('are tied the same after an export and an import', async () => {
    const app = await filled(backend);
    const other = await openTestApp(backend, { clock: app.clock });
    onTestFinished(() => other.close());
    await importLines(other, await exportLines(app));
    expect(await headsOf(other)).toEqual(await headsOf(app));
    expect(await linesOf(other)).toEqual(await linesOf(app));
  });

  it('are not known to be about the same one when it is erased', async () => {
    const app = await filled(backend);
    const before = await linesOf(app);
    await app.call('entries.erase', { entity_path: 'svc', key: '1' }, A);
    const erased = (await linesOf(app)).filter((line, i) => line.entry_id === null && before[i]?.entry_id !== null);
    expect(erased.length).toBe(7);
    for (const line of erased) expect(line).toMatchObject({ before_seq: null, before_no: null });
    const chained = chains(await headsOf(app), await linesOf(app));
    expect(chained.map(({ places, isAll }) => isAll && places.length).sort()).toEqual([0, 2, 3]);
  });
});
