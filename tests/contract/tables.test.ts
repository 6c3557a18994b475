import { describe, expect, it } from 'vitest';
import { modules as proModules } from '../../packages/pro/src/index.ts';
import { coreModules } from '../../packages/server/src/app.ts';
import { fragment, type Row, sql } from '../../packages/server/src/db/index.ts';
import {
  erasedTables,
  exported,
  type Module,
  SELF_HOSTED_ACCOUNT,
  tablesOf,
} from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp } from '../support/app.ts';
import { columnsOf, declarationProblems } from '../support/declarations.ts';
import { guardOf, tenantProblem } from '../support/statements.ts';

const installed = [...coreModules, ...proModules];

/** A module with one table and the given declaration. */
const withNotes = (declared: Partial<Module>): Module => ({
  name: 'notes',
  handlers: {},
  migrations: [
    {
      version: 1,
      name: 'notes',
      up: ({ text, int }) => [
        `CREATE TABLE reviews (
          account_id ${text} NOT NULL,
          no ${int} NOT NULL,
          agent_id ${text} NOT NULL,
          reviewed_agent ${text} NOT NULL,
          entity_path ${text},
          key ${text},
          text ${text} NOT NULL,
          PRIMARY KEY (account_id, no)
        )`,
      ],
    },
  ],
  ...declared,
});

const columns = {
  account_id: 'text',
  no: 'int',
  agent_id: 'text',
  reviewed_agent: 'text',
  entity_path: 'text',
  key: 'text',
  text: 'text',
} as const;

const reviews = exported(
  { table: 'reviews', columns },
  {
    kind: 'review',
    key: ['no'],
    nullable: ['entity_path', 'key'],
    agents: {
      agent_id: { erased: 'delete the row' },
      reviewed_agent: { erased: 'rename', also: () => ({ text: '' }) },
    },
    entries: { entity_path: 'set to null', key: 'set to null' },
  },
);

describe.each(backends)('the tables of accounts, on %s', (backend) => {
  it('all say what a safety net needs to know of them', async () => {
    const app = await openTestApp(backend);
    const found = await columnsOf(app.kernel.services.database);
    await app.close();
    expect(found.length).toBeGreaterThan(150);
    expect(declarationProblems(found, installed)).toEqual([]);
  });

  it('fail by themselves when one declares nothing, or leaves out who and what it names', async () => {
    const silent = withNotes({});
    const app = await openTestApp(backend, { modules: [...proModules, silent] });
    const found = await columnsOf(app.kernel.services.database);
    await app.close();
    expect(declarationProblems(found, [...installed, silent])).toEqual(['reviews is not declared']);
    const { agents: _, entries: __, ...bare } = reviews;
    const says = 'and does not say what an erasure does to it';
    expect(declarationProblems(found, [...installed, withNotes({ tables: [bare] })])).toEqual([
      `reviews.agent_id may hold the name of an agent ${says}`,
      `reviews.reviewed_agent may hold the name of an agent ${says}`,
      `reviews.entity_path may hold the name of an entry ${says}`,
      `reviews.key may hold the name of an entry ${says}`,
    ]);
    const owned = { ...reviews, agents: { ...reviews.agents, agent_id: { erased: 'by its owner' as const } } };
    expect(declarationProblems(found, [...installed, withNotes({ tables: [owned] })])).toEqual([
      'notes erases no agent',
    ]);
  });

  it('fail also where names are unusual, and where there is no account', async () => {
    const columns = ['agent_name', 'reviewer', 'file_path_text', 'mood'];
    const withTables = (declared: Partial<Module>): Module => ({
      name: 'odd',
      handlers: {},
      migrations: [
        {
          version: 1,
          name: 'odd',
          up: ({ text, int }) => [
            `CREATE TABLE odd (account_id ${text} NOT NULL, no ${int} NOT NULL, agent_rank ${int},
              ${columns.map((name) => `${name} ${text}`).join(', ')}, PRIMARY KEY (account_id, no))`,
            `CREATE TABLE presence (agent_id ${text} PRIMARY KEY, seen_at ${int})`,
          ],
        },
      ],
      ...declared,
    });
    const app = await openTestApp(backend, { modules: [...proModules, withTables({})] });
    const found = await columnsOf(app.kernel.services.database);
    await app.close();
    const problems = (declared: Partial<Module>) =>
      declarationProblems(found, [...installed, withTables(declared)]).sort();
    const says = 'and does not say what an erasure does to it';
    const odd = { table: 'odd', key: ['no'], left_out: 'for a test' };
    const presence = { table: 'presence', shared: 'for a test', rights: [] };
    expect(problems({})).toEqual(['odd is not declared', 'presence is not declared']);
    expect(problems({ tables: [odd], sharedTables: [presence] })).toEqual([
      `odd.agent_name may hold the name of an agent ${says}`,
      `odd.file_path_text may hold the name of an entry ${says}`,
      `odd.reviewer may hold the name of an agent ${says}`,
      `presence.agent_id may hold the name of an agent ${says}`,
    ]);
    const unrelated = { agent_name: 'a ship', reviewer: 'a newspaper', file_path_text: 'a file' };
    expect(
      problems({
        tables: [
          { ...odd, unrelated },
          { table: 'presence', key: [], left_out: 'for a test' },
        ],
      }),
    ).toEqual([
      `presence has rows of accounts and no account_id`,
      `presence.agent_id may hold the name of an agent ${says}`,
    ]);
    expect(problems({ tables: [{ ...odd, unrelated: { ...unrelated, helm: 'gone' } }] })).toEqual([
      'odd.helm is declared and not there',
      'presence is not declared',
    ]);
    expect(problems({ sharedTables: [{ ...presence, table: 'odd', unrelated }] })).toEqual([
      'odd is shared and has rows of accounts',
      'presence is not declared',
    ]);
  });

  it('are guarded, erased and vacuumed by what they declare', async () => {
    const module = withNotes({ tables: [reviews] });
    const guard = guardOf([...coreModules, module]);
    expect(tenantProblem('SELECT text FROM reviews WHERE no = ?', guard)).toBeDefined();
    expect(tenantProblem('SELECT text FROM reviews WHERE account_id = ? AND no = ?', guard)).toBeUndefined();
    expect(erasedTables(tablesOf([module])).map(({ table }) => table)).toContain('reviews');
    const app = await openTestApp(backend, { modules: [...proModules, module] });
    const B = { agent_id: 'agent/b' };
    const account_id = SELF_HOSTED_ACCOUNT;
    const row = (no: number, [agent_id, reviewed_agent]: [string, string], [entity_path, key]: (string | null)[]) => ({
      ...{ account_id, no, agent_id, reviewed_agent, entity_path: entity_path ?? null, key: key ?? null, text: 'said' },
    });
    await app.kernel.services.database.transaction(async (tx) => {
      tx.enter(account_id);
      await tx.insertMany({ table: 'reviews', columns }, [
        row(1, ['agent/a', 'agent/b'], []),
        row(2, ['agent/b', 'agent/a'], ['kept', 'k']),
        row(3, ['agent/b', 'agent/b'], ['gone', 'k']),
        row(4, ['agent/b', 'agent/b'], ['gone', 'other']),
      ]);
    });
    await app.call('entries.write', { entity_path: 'gone', key: 'k', value: 1 }, B);
    await app.call('entries.write', { entity_path: 'kept', key: 'k', value: 1 }, B);
    await app.call('entries.erase', { entity_path: 'gone', key: 'k' }, B);
    await app.call('agents.erase', { agent_id: 'agent/a' }, B);
    const left = await app.kernel.services.database
      .forAccount(account_id)
      .read.all<Row>(
        sql`SELECT no, reviewed_agent, entity_path, key, text FROM reviews WHERE account_id = ${account_id} ORDER BY no`,
      );
    await app.close();
    expect(left).toEqual([
      { no: 2, reviewed_agent: expect.stringMatching(/^erased\//), entity_path: 'kept', key: 'k', text: '' },
      { no: 3, reviewed_agent: 'agent/b', entity_path: null, key: null, text: 'said' },
      { no: 4, reviewed_agent: 'agent/b', entity_path: 'gone', key: 'other', text: 'said' },
    ]);
  });
});

describe('the figures for the planner of SQLite', () => {
  it('are those that the tables declare, of indexes that are there', async () => {
    const app = await openTestApp('sqlite');
    const { scan } = app.kernel.services.database;
    const found = await scan.all<Row>(fragment('SELECT tbl, idx, stat FROM sqlite_stat1'));
    const indexes = await scan.all<Row>(fragment(`SELECT name FROM sqlite_schema WHERE type IN ('index', 'table')`));
    await app.close();
    const declared = tablesOf(installed).flatMap(({ table: tbl, planner = {} }) =>
      Object.entries(planner).map(([idx, stat]) => ({ tbl, idx, stat })),
    );
    const byIndex = (one: Row, other: Row) => String(one.idx).localeCompare(String(other.idx));
    expect(declared.length).toBeGreaterThan(10);
    expect(found.sort(byIndex)).toEqual(declared.sort(byIndex));
    expect(declared.filter(({ idx }) => !indexes.some(({ name }) => name === idx))).toEqual([]);
  });

  it('are put right at the start where they are others', async () => {
    const module = withNotes({ tables: [{ ...reviews, planner: { reviews: '10 10 1' } }] });
    const first = await openTestApp('sqlite');
    const { place } = first;
    await first.jobs.close();
    const second = await openTestApp('sqlite', { place, modules: [...proModules, module] });
    const found = await second.kernel.services.database.scan.all<Row>(
      fragment(`SELECT stat FROM sqlite_stat1 WHERE tbl = 'reviews'`),
    );
    await second.close();
    await first.close();
    expect(found).toEqual([{ stat: '10 10 1' }]);
  });
});
