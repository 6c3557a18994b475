import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modules as proModules } from '../../packages/pro/src/index.ts';
import { type Row, sql } from '../../packages/server/src/db/index.ts';
import {
  type EntryChange,
  type EntryHead,
  type Module,
  type Projection,
  SELF_HOSTED_ACCOUNT,
  type Work,
} from '../../packages/server/src/kernel/index.ts';
import { type Backend, backends, openTestApp, type TestApp } from '../support/app.ts';
import { exportLines, importLines } from '../transfer/support.ts';

const columns = { account_id: 'text', entity_path: 'text', key: 'text', chars: 'int', confidence: 'real' } as const;

const upsert = {
  table: 'lengths',
  columns,
  suffix: `ON CONFLICT (account_id, entity_path, key) DO UPDATE SET chars = excluded.chars, confidence = excluded.confidence`,
};

const setConfidence = {
  table: 'lengths',
  set: { confidence: 'real' },
  by: { account_id: 'text', entity_path: 'text', key: 'text' },
} as const;

function apply(work: Work, changes: readonly EntryChange[]): void {
  const { account_id } = work;
  work.send(
    work.tx.insertMany(
      upsert,
      changes.map(({ after: { entity_path, key, confidence }, value }) => ({
        ...{ account_id, entity_path, key, confidence, chars: value === undefined ? 0 : JSON.stringify(value).length },
      })),
    ),
  );
}

async function erase({ tx, account_id }: Work, heads: readonly EntryHead[]): Promise<undefined> {
  for (const { entity_path, key } of heads)
    await tx.run(
      sql`DELETE FROM lengths WHERE account_id = ${account_id} AND entity_path = ${entity_path} AND key = ${key}`,
    );
}

/** A module of another package: how long values are, kept in step with the entries, and left out of exports. */
const lengths: Module = {
  name: 'lengths',
  handlers: {},
  migrations: [
    {
      version: 1,
      name: 'lengths',
      up: ({ text, int, real }) => [
        `CREATE TABLE lengths (account_id ${text} NOT NULL, entity_path ${text} NOT NULL, key ${text} NOT NULL,
          chars ${int} NOT NULL, confidence ${real} NOT NULL, PRIMARY KEY (account_id, entity_path, key))`,
      ],
    },
  ],
  tables: [
    {
      table: 'lengths',
      key: ['entity_path', 'key'],
      left_out: 'made from the entries again',
      entries: { entity_path: 'by its owner', key: 'by its owner' },
    },
  ],
  projections: [
    {
      name: 'lengths',
      tables: ['lengths'],
      apply,
      restore: apply,
      async applyStandings({ tx, account_id }, changes) {
        const rows = changes.map(({ entry: { entity_path, key, confidence } }) => ({
          ...{ account_id, entity_path, key, confidence },
        }));
        await tx.updateMany(setConfidence, rows);
      },
      erase: (work, { heads }) => erase(work, heads),
    },
  ],
};

const listLengths = (app: TestApp) =>
  app.kernel.services.database.forAccount(SELF_HOSTED_ACCOUNT).read.all<Row>(
    sql`SELECT entity_path, key, chars, confidence FROM lengths WHERE account_id = ${SELF_HOSTED_ACCOUNT}
          ORDER BY entity_path, key`,
  );

const A = { agent_id: 'agent/a', session_id: 's' };

describe.each(backends)('a projection of another package, on %s', (backend: Backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend, { modules: [...proModules, lengths] });
  });
  afterAll(() => app.close());

  const write = (key: string, value: unknown, more: object = {}) =>
    app.call('entries.write', { entity_path: 'p', key, value, ...more } as never, A);
  const lengthOf = async (key: string) => (await listLengths(app)).find((row) => row.key === key)?.chars;

  it('follows writes, deletes and expiry', async () => {
    await Promise.all([write('one', 'abc'), write('one', 'abcdef'), write('two', [1, 2])]);
    expect(await lengthOf('one')).toBe(8);
    expect(await lengthOf('two')).toBe(5);
    await app.call('entries.delete', { entity_path: 'p', key: 'two' }, A);
    expect(await lengthOf('two')).toBe(0);
    await write('short', 1, { ttl_seconds: 1 });
    app.clock.advance(5000);
    await app.jobs.sweep();
    expect(await lengthOf('short')).toBe(0);
  });

  it('follows imports of entries and commits', async () => {
    await app.call(
      'entries.import',
      { source: 'test', entries: [{ entity_path: 'p', key: 'brought', value: 'x' }] },
      A,
    );
    await app.call('commits.create', { message: 'm', writes: [{ entity_path: 'p', key: 'written', value: 'xy' }] }, A);
    expect(await lengthOf('brought')).toBe(3);
    expect(await lengthOf('written')).toBe(4);
  });

  it('hears of a confidence that an outcome moved', async () => {
    await app.call('entries.read', { entity_path: 'p', key: 'one' }, A);
    const before = (await listLengths(app)).find((row) => row.key === 'one')?.confidence;
    await app.call('outcomes.commit', { outcome_ref: 'o', outcome_type: 'critical_failure' }, A);
    const { confidence } = await app.call('entries.read', { entity_path: 'p', key: 'one' }, A);
    const after = (await listLengths(app)).find((row) => row.key === 'one')?.confidence;
    expect(after).toBe(confidence);
    expect(after).not.toBe(before);
  });

  it('is made again from an account that is brought elsewhere', async () => {
    const lines = await exportLines(app, A);
    const other = await openTestApp(backend, { modules: [...proModules, lengths] });
    await importLines(other, lines, A);
    const [here, there] = [await listLengths(app), await listLengths(other)];
    await other.close();
    expect(there).toEqual(here);
  });

  it('removes entries that are erased, one by one or with their agent', async () => {
    await app.call('entries.erase', { entity_path: 'p', key: 'one' }, A);
    expect(await lengthOf('one')).toBeUndefined();
    expect(await lengthOf('brought')).toBe(3);
    await app.call('agents.erase', { agent_id: 'agent/a' }, { agent_id: 'agent/b' });
    expect(await listLengths(app)).toEqual([]);
  });
});

/** The same, a moment later: what it does is what it would have done in the transaction. */
const behind: Module = {
  ...lengths,
  projections: (lengths.projections ?? []).map(({ applyStandings: _, ...projection }) => ({
    ...projection,
    runs: 'as a consumer' as const,
  })),
};

describe.each(backends)('a projection that follows the log, on %s', (backend: Backend) => {
  it('comes to what it would be in the transaction, through writes, erasures and the move of an account', async () => {
    const app = await openTestApp(backend, { modules: [...proModules, behind] });
    const write = (key: string, value: unknown) =>
      app.call('entries.write', { entity_path: 'p', key, value } as never, A);
    await write('one', 'abc');
    await write('one', 'abcdef');
    await write('two', [1, 2]);
    await write('gone', 'secret');
    await app.call('entries.delete', { entity_path: 'p', key: 'two' }, A);
    await app.call('entries.erase', { entity_path: 'p', key: 'gone' }, A);
    await app.jobs.sweep();
    const one = { entity_path: 'p', key: 'one', chars: 8, confidence: 0.7 };
    const two = { entity_path: 'p', key: 'two', chars: 0, confidence: 0.7 };
    expect(await listLengths(app)).toEqual([one, two]);
    await write('two', 'again');
    await app.jobs.sweep();
    expect(await listLengths(app)).toEqual([one, { ...two, chars: 7 }]);
    const other = await openTestApp(backend, { modules: [...proModules, behind] });
    await importLines(other, await exportLines(app, A), A);
    await other.jobs.sweep();
    expect(await listLengths(other)).toEqual(await listLengths(app));
    await other.close();
    await app.call('entries.erase', { entity_path: 'p', key: 'one' }, A);
    expect(await listLengths(app)).toEqual([{ ...two, chars: 7 }]);
    await app.close();
  });

  it('is given every version, and what the entry was before', async () => {
    const seen: EntryChange[] = [];
    const [projection] = behind.projections ?? [];
    const module: Module = {
      ...behind,
      projections: [{ ...(projection as Projection), apply: (_work, changes) => void seen.push(...changes) }],
    };
    const app = await openTestApp(backend, { modules: [...proModules, module] });
    for (const value of ['a', 'b', 'c']) await app.call('entries.write', { entity_path: 'p', key: 'k', value }, A);
    await app.jobs.sweep();
    await app.call('entries.delete', { entity_path: 'p', key: 'k' }, A);
    await app.jobs.sweep();
    await app.close();
    // How many versions come together depends on when it is woken.
    const chain = seen.flatMap(({ replaced = [], after }) => [...replaced, after].map(({ seq }) => seq));
    expect(chain).toEqual([1, 2, 3, 4]);
    expect(seen.map(({ before }) => before?.seq)).toEqual([
      undefined,
      ...seen.slice(0, -1).map(({ after }) => after.seq),
    ]);
    expect(seen.slice(-2).map(({ value }) => value)).toEqual(['c', undefined]);
  });
});
