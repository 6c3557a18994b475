import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyProject, follow, run, stepsOfPage } from '../support/recipe.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const steps = stepsOfPage(readFileSync(join(root, 'docs/adding-a-module.md'), 'utf8'));
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

/** Those that take every operation or every table, and the docs that list them. */
const DERIVED = [
  ...['accounts', 'answers', 'effects', 'outputs', 'privacy', 'refusals', 'scope-checks', 'scopes'],
  ...['openapi', 'owners', 'routes', 'tables'],
].map((name) => `tests/contract/${name}.test.ts`);
const DOCS = ['tests/docs/guides.test.ts', 'tests/transfer/docs.test.ts', 'tests/transfer/tables.test.ts'];

/** Of these files, the tests of its operations and those that take all of them, or all tables, at once. */
const ABOUT_IT = [
  ...[
    'bookmark',
    'openapi.json',
    'the table of routes',
    'lists every operation',
    'every record',
    'every table that a module declares',
  ],
  ...['what a safety net needs', 'guarded, erased and vacuumed', 'that the tables declare', 'are all exported'],
];

describe('a module that is added as docs/adding-a-module.md says', () => {
  let folder: string;
  beforeAll(async () => {
    folder = copyProject(root);
    for (const step of steps) follow(folder, step);
    const made = await run(folder, process.execPath, ['--conditions=source', '--import', 'tsx', 'scripts/openapi.mjs']);
    expect(made.status, made.out).toBe(0);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is held against tests that are there', () => {
    expect([...DERIVED, ...DOCS].filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  });

  it('names no table of another module', async () => {
    const owners = await run(folder, process.execPath, [join(folder, 'scripts/check-owners.mjs')]);
    expect(owners.status, owners.out).toBe(0);
  });

  it('has types and style', async () => {
    // The packages, and the tests that it is held against: nothing else knows of it.
    const include = ['packages/*/src/**/*.ts', 'tests/support/postgres.ts', ...DERIVED, ...DOCS];
    const project = { extends: './tsconfig.json', include };
    writeFileSync(join(folder, 'tsconfig.module.json'), JSON.stringify(project));
    const types = await run(folder, bin('tsc'), ['--noEmit', '-p', 'tsconfig.module.json', '--checkers', '1']);
    expect(types.status, types.out).toBe(0);
    const files = steps.map(({ file }) => file).filter((file) => file.endsWith('.ts'));
    const style = await run(folder, bin('biome'), ['check', '--error-on-warnings', ...files]);
    expect(style.status, style.out).toBe(0);
  }, 300_000);

  it('passes the derived tests of its operations and its table, and the docs list it', async ({ signal }) => {
    const args = ['run', '--maxWorkers=1', ...DERIVED, ...DOCS, '-t', ABOUT_IT.join('|')];
    const { status, out } = await run({ folder, signal }, bin('vitest'), args);
    const failures = out.split('\n').filter((line) => !/^ +[↓✓]/.test(line));
    expect(status, failures.join('\n').slice(0, 20_000)).toBe(0);
    // On both databases: none was skipped.
    expect(Number(/Tests +(\d+) passed/.exec(out)?.[1])).toBeGreaterThan(80);
    // A whole run of tests within this one: on a machine that does other things too it takes minutes.
  }, 900_000);
});
