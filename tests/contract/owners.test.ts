// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts of sources
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { modules as proModules } from '../../packages/pro/src/index.ts';
import { coreModules } from '../../packages/server/src/app.ts';
import { kernelSharedTables, kernelTables } from '../../packages/server/src/kernel/index.ts';
// @ts-expect-error: a script, without types
import { checkOwners } from '../../scripts/check-owners.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** A workspace with these files, and what the check says of it. */
function check(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'mem-owners-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, 'packages', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/check-owners.mjs'), folder]);
  return { status, problems: String(stderr).trim().split('\n') };
}

const shelves = {
  'server/src/modules/shelves/queries.ts':
    "export const insertShelves: Insert = {\n  table: 'shelves',\n  columns: {},\n};\n",
  'server/src/modules/shelves/tables.ts':
    "export const tables = [exported(insertShelves, { kind: 'shelf', key: ['no'] })];\n",
};

describe('the check of who owns which table', () => {
  it('knows the owner of every table that a module declares', () => {
    const { owners, problems } = checkOwners(root);
    const declared = [
      { name: 'kernel', tables: [...kernelTables, ...kernelSharedTables], wordIndexes: [] },
      ...coreModules,
      ...proModules,
    ].flatMap(({ name, tables = [], wordIndexes = [] }) =>
      [...tables.map(({ table }) => table), ...wordIndexes.flatMap(({ table, view }) => [table, view])].map(
        (table) => [table, name] as const,
      ),
    );
    expect(Object.fromEntries(owners)).toEqual(Object.fromEntries(declared));
    expect(problems).toEqual([]);
  });

  it('is content where a module names its own tables', () => {
    expect(check(shelves).status).toBe(0);
  });

  it.each([
    ['a query', 'export const one = sql`SELECT no\n  FROM shelves WHERE no = 1`;', 2],
    ['a join', 'export const one = sql`SELECT 1 FROM mine JOIN shelves ON true`;', 1],
    ['an update', 'export const one = fragment("UPDATE shelves SET no = 1");', 1],
    ['a statement as data', "export const findOne: Find = { table: 'shelves', select: 'no', by: {} };", 1],
    ['the same in other quotes', 'export const findOne: Find = { table: "shelves", select: "no", by: {} };', 1],
    ['a list', 'export const one = sql`SELECT 1 FROM mine AS m,\n  shelves`;', 1],
    ['small letters', 'export const one = sql`select no from shelves`;', 1],
    ['quotes', 'export const one = sql`SELECT no FROM "shelves"`;', 1],
    ['a schema', 'export const one = sql`SELECT no FROM public.shelves`;', 1],
    ['both', 'export const one = sql`SELECT no FROM "public"."shelves"`;', 1],
    ['brackets', 'export const one = sql`SELECT 1 FROM (shelves JOIN mine ON true)`;', 1],
    ['an insert', 'export const one = sql`INSERT INTO shelves(no) VALUES (1)`;', 1],
    ['a constant', "const SHELVES = fragment('shelves');\nexport const one = sql`SELECT 1 FROM ${SHELVES}`;", 2],
    ['a constant text', "const NAME = 'shelves';\nexport const one = sql`SELECT 1 FROM ${fragment(NAME)}`;", 2],
    ['a text in place', "export const one = sql`SELECT 1 FROM ${fragment('shelves')}`;", 1],
  ])('refuses %s of another module, and says where', (_what, text, line) => {
    const { status, problems } = check({ ...shelves, 'server/src/modules/readers/queries.ts': `${text}\n` });
    expect(status).toBe(1);
    expect(problems[0]).toBe(
      `packages/server/src/modules/readers/queries.ts:${line} names shelves, which belongs to shelves`,
    );
  });

  it.each([
    ['a parameter', 'export const one = (table: string) => sql`SELECT 1 FROM ${fragment(table)}`;', 1],
    ['a member', 'export const one = (of: Named) => sql`DELETE\n  FROM ${fragment(of.table)}`;', 2],
    ['a fragment', 'const name = fragment(given);\nexport const one = sql`UPDATE ${name} SET no = 1`;', 2],
    ['one of a list', 'const [name, n] = [fragment(of.table), 1];\nconst one = sql`SELECT 1 FROM ${name}`;', 2],
    ['a plain text', 'export const one = (table: string) => fragment(`VACUUM ${table}`);', 1],
    ['a name made by a call', 'const name = nameOf(one);\nexport const two = fragment(`VACUUM ${name}`);', 2],
    ['a statement as data', 'export const one = (table: string) => ({ table: table, columns: {} });', 1],
  ])('refuses a table that comes from a variable: %s', (_what, text, line) => {
    const { status, problems } = check({ ...shelves, 'server/src/modules/readers/queries.ts': `${text}\n` });
    expect(status).toBe(1);
    expect(problems[0]).toBe(
      `packages/server/src/modules/readers/queries.ts:${line} takes the name of a table from a variable: write it out, or add an exception`,
    );
  });

  it('takes no piece of SQL that was written elsewhere for a table', () => {
    const text = [
      'export const one = (ids: Sql) => sql`SELECT 1 FROM ${ids} JOIN ${shelvesIn(view)} ON true`;',
      'const found = sql`SELECT ${fragment(columns)} FROM mine`;',
      'export const two = sql`SELECT 1 FROM (${found}) AS found`;',
    ];
    expect(check({ ...shelves, 'server/src/modules/readers/queries.ts': text.join('\n') }).status).toBe(0);
  });

  it('lets only files that work by the declarations of tables, or on statements as data, use variables', () => {
    const file = 'server/src/modules/transfer/queries.ts';
    const variable = 'export const one = (table: string) => sql`SELECT 1 FROM ${fragment(table)}`;\n';
    expect(check({ ...shelves, [file]: variable }).status).toBe(0);
    expect(check({ ...shelves, [file]: 'export const one = 1;\n' }).problems[0]).toBe(
      `packages/${file} needs no exception: it takes the name of no table from a variable`,
    );
  });

  it('lets only migrations with a number of the one count name tables of others', () => {
    const step = (version: number, legacy: string, table: string) =>
      `  { version: ${version},${legacy} name: 'one', up: () => ['ALTER TABLE ${table} ADD COLUMN x'] },\n`;
    const checkSteps = (...steps: string[]) =>
      check({
        ...shelves,
        'server/src/modules/readers/migrations.ts': `export const migrations = [\n${steps.join('')}];\n`,
      });
    expect(checkSteps(step(1, ' legacy: 7,', 'shelves'), step(2, '', 'mine')).status).toBe(0);
    expect(checkSteps(step(1, ' legacy: 7,', 'shelves'), step(2, '', 'shelves')).problems[0]).toBe(
      'packages/server/src/modules/readers/migrations.ts:3 names shelves, which belongs to shelves',
    );
    expect(checkSteps(step(1, '', 'shelves')).status).toBe(1);
  });

  it('takes no function for a table', () => {
    const text = 'export const one = (shelves: Row[]) => Array.from(shelves);\nsql`SELECT 1 FROM shelves(1)`;\n';
    expect(check({ ...shelves, 'pro/src/modules/readers/queries.ts': text }).status).toBe(0);
  });

  it('looks into other packages as well, and leaves comments alone', () => {
    const text = 'export const one = sql`DELETE FROM shelves`;\n';
    expect(check({ ...shelves, 'pro/src/modules/readers/queries.ts': text }).status).toBe(1);
    expect(check({ ...shelves, 'pro/src/modules/readers/index.ts': '/** Rows FROM shelves. */\n' }).status).toBe(0);
  });
});
