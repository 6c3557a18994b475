import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../packages/server/src/config.ts';
import { root } from './npm.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Throws for a bad value; warns of a variable that does not exist. */
const warningsOf = (env: Record<string, string>) => readConfig(env).warnings;

/** One line for each instruction, as Docker reads them. */
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter(Boolean)
  .map((line) => ({ word: line.split(' ', 1)[0] as string, rest: line.slice(line.indexOf(' ') + 1) }));
const last = (word: string) => instructions.findLast((one) => one.word === word)?.rest ?? '';
const pairs = (text: string) =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]));

describe('the Dockerfile', () => {
  it('copies files that exist and that .dockerignore lets through', () => {
    const ignored = read('.dockerignore').split('\n');
    const copied = instructions
      .filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from'))
      .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
    expect(copied.length).toBeGreaterThan(8);
    for (const path of copied) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(ignored).toContain(`!${path.split('/')[0]}`);
    }
  });

  it('has the manifest of every package before npm ci runs, and builds what it copies', () => {
    const at = instructions.findIndex(({ rest }) => rest.startsWith('npm ci --omit=dev'));
    const before = instructions.slice(0, at).map(({ rest }) => rest);
    for (const name of readdirSync(join(root, 'packages')))
      expect(before).toContain(`packages/${name}/package.json packages/${name}/`);
    expect(instructions.some(({ rest }) => rest.startsWith('node scripts/build.mjs cli'))).toBe(true);
    expect(last('COPY')).toBe('--from=build /build/packages/cli/dist /opt/mem/dist');
  });

  it('runs as another user than root, with its data in a volume and a health check', () => {
    const env = pairs(last('ENV'));
    expect(warningsOf(env)).toEqual([]);
    expect(readConfig(env)).toMatchObject({ dataDir: last('VOLUME'), http: { port: Number(last('EXPOSE')) } });
    expect(last('USER')).toBe('node');
    expect(last('HEALTHCHECK')).toContain('/health');
    expect([JSON.parse(last('ENTRYPOINT')), JSON.parse(last('CMD'))]).toEqual([['mem'], ['serve']]);
  });
});

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml'));
  const { mem, db } = compose.services;
  /** With every variable of the shell set to a text of letters. */
  const filled = (text: string) => text.replaceAll(/\$\{\w+:[?-][^}]*\}/g, 'letters1234567890');

  it('gives the service variables that it knows, and the database that it starts', () => {
    const env = Object.fromEntries(Object.entries<string>(mem.environment).map(([name, text]) => [name, filled(text)]));
    expect(warningsOf(env)).toEqual([]);
    const dsn = new URL(readConfig(env).postgresDsn as string);
    expect({ host: dsn.hostname, user: dsn.username, name: dsn.pathname }).toEqual({
      host: 'db',
      user: db.environment.POSTGRES_USER,
      name: `/${db.environment.POSTGRES_DB}`,
    });
    expect(filled(db.environment.POSTGRES_PASSWORD)).toBe(dsn.password);
  });

  it('refuses to start without keys and a password, and listens on this machine only', () => {
    expect(mem.environment.MEM_API_KEYS).toMatch(/^\$\{MEM_API_KEYS:\?/);
    expect(db.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
    expect(mem.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:.*:8080$/)]);
    expect(db.ports).toBeUndefined();
  });

  it('waits for the database, and keeps its data in a volume that is declared', () => {
    expect(mem.depends_on.db.condition).toBe('service_healthy');
    expect(db.healthcheck.test).toBeDefined();
    for (const volume of db.volumes) expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
  });
});

describe('deploy/mem.service', () => {
  const unit = read('deploy/mem.service');
  const env = pairs([...unit.matchAll(/^Environment=(.+)$/gm)].map(([, text]) => text).join(' '));

  it('sets variables that the service knows, and its data folder is the one that it may write to', () => {
    expect(warningsOf(env)).toEqual([]);
    expect(readConfig(env)).toMatchObject({ dataDir: '/var/lib/mem', http: { host: '127.0.0.1' } });
    expect(unit).toContain('StateDirectory=mem\n');
    expect(unit).toMatch(/^ExecStart=\S+\/mem serve$/m);
  });

  const systemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.skipIf(!systemd)('is a unit that systemd reads without a complaint', () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(root, 'deploy', 'mem.service')], {
      encoding: 'utf8',
    });
    // The command is not installed where the tests run.
    const complaints = stderr
      .split('\n')
      .filter((line) => line.includes('mem.service') && !/not executable/.test(line));
    expect({ complaints, status: complaints.length === 0 ? 0 : status }).toEqual({ complaints: [], status: 0 });
  });
});
