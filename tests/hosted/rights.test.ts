import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { stringify } from '@mem-service/contract';
import { beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { openApp } from '../../packages/server/src/app.ts';
import type { Check } from '../../packages/server/src/cli/doctor/check.ts';
import { openDesk } from '../cli/support.ts';
import { blocksOf, readDoc } from '../docs/markdown.ts';
import { runMem } from '../faults/support/mem-process.ts';
import { caller, runSql } from '../support/app.ts';

const blocks = blocksOf(readDoc('docs/operations.md')).filter(({ kind }) => kind === 'sql');
const [plain, guarded] = blocks.map(({ text }) => text) as [string, string];

/** A login without any right, and a schema that belongs to somebody else. */
async function newLogin() {
  const name = `rights_${randomBytes(4).toString('hex')}`;
  const dsn = inject('postgresDsn');
  const admin = (text: string) => runSql(dsn, text);
  await admin(`CREATE ROLE ${name} LOGIN; CREATE SCHEMA ${name}_s`);
  const roles = ['', '_upkeep', '_words'].map((part) => `${name}_app${part}`);
  onTestFinished(async () => {
    await admin(`DROP SCHEMA ${name}_s CASCADE`);
    for (const role of [...roles, name])
      await admin(`DO $$ BEGIN IF to_regrole('${role}') IS NOT NULL THEN
        EXECUTE 'DROP OWNED BY ${role}; DROP ROLE ${role}'; END IF; END $$`);
  });
  const url = new URL(dsn);
  url.username = name;
  url.searchParams.set('options', `-c search_path=${name}_s`);
  return {
    name,
    admin,
    /** Statements of the docs with the names of this test. */
    run: (text: string) =>
      admin(
        text
          .replaceAll(/\bmem_app/g, `${name}_app`)
          .replaceAll(/\bmem\b/g, name)
          .replaceAll('SCHEMA public', `SCHEMA ${name}_s`),
      ),
    env: { MEM_POSTGRES_DSN: url.href, MEM_POSTGRES_APP_ROLE: `${name}_app` },
    options: { dataDir: tmpdir(), postgresDsn: url.href, postgresRole: `${name}_app` },
  };
}

describe('the rights that the docs ask for', () => {
  let login: Awaited<ReturnType<typeof newLogin>>;
  beforeEach(async () => {
    login = await newLogin();
  });

  /** What the doctor says before the first start. */
  async function examine(env: Record<string, string> = {}) {
    const desk = await openDesk();
    onTestFinished(() => desk.remove());
    const { out } = await desk.inProcess(['doctor', '--json'], { env: { ...login.env, ...env } });
    return (JSON.parse(out).checks as Check[]).filter(({ level }) => level === 'fail');
  }

  it('are enough to start, and the doctor says so before', async () => {
    expect(await examine()).toMatchObject([{ todo: expect.stringContaining('GRANT USAGE, CREATE ON SCHEMA') }]);
    await login.run(plain);
    expect(await examine()).toEqual([]);
    const app = await openApp(login.options);
    await app.kernel.invoke('entries.write', { entity_path: 'a', key: 'k', value: 1 }, caller());
    await app.close();
  });

  const HOSTED = { MEM_MODE: 'hosted', MEM_INTERNAL_KEY: 'internal-key-of-the-tests' };

  async function expectHosted(): Promise<void> {
    for (let start = 0; start < 2; start++) {
      const app = await openApp({ ...login.options, hosted: true, rowSecurity: 'on' });
      const control = caller({ account_id: '', control: true });
      const { account_id } = (await app.kernel.invoke('accounts.create', { name: 'One', plan: null }, control)) as {
        account_id: string;
      };
      const as = caller({ account_id });
      await app.kernel.invoke('entries.write', { entity_path: 'a', key: 'k', value: 'some words' }, as);
      const found = stringify(await app.kernel.invoke('entries.search', { query: 'words' }, as));
      expect(JSON.parse(found)).toMatchObject({ entries: [{ key: 'k' }] });
      await app.close();
    }
  }

  it('are enough to start a hosted service, and the doctor says so before', async () => {
    await login.run(plain);
    const [failed] = await examine(HOSTED);
    expect(failed).toMatchObject({ name: 'rights', found: 'row-level security needs rights that are missing' });
    await login.run(guarded);
    expect(await examine(HOSTED)).toEqual([]);
    await expectHosted();
    expect(await examine(HOSTED)).toEqual([]);
  });

  it('are complete once the statements of the doctor were run', async () => {
    await login.run(plain);
    const [failed] = await examine(HOSTED);
    await login.admin(failed?.todo?.replace(/^.*?: /, '') ?? '');
    expect(await examine(HOSTED)).toEqual([]);
    await expectHosted();
  });

  it('are named by a start without them, in one line', async () => {
    await login.run(plain);
    const { code, output } = await runMem({ ...login.env, ...HOSTED, MEM_DATA_DIR: tmpdir() });
    expect(code).toBe(6);
    expect(output.trim().split('\n')).toHaveLength(1);
    for (const role of ['app', 'app_upkeep', 'app_words'])
      expect(output).toContain(`CREATE ROLE ${login.name}_${role} NOLOGIN;`);
    expect(output).toContain(`GRANT CREATE ON SCHEMA ${login.name}_s TO ${login.name}_app_words;`);
  });

  it('need no administrator where the login owns the schema and may create roles', async () => {
    await login.admin(`ALTER SCHEMA ${login.name}_s OWNER TO ${login.name}; ALTER ROLE ${login.name} CREATEROLE`);
    expect(await examine(HOSTED)).toEqual([]);
    await expectHosted();
  });
});
