import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, readConfig } from '../../packages/server/src/config.ts';
import { runMem, startMem } from './support/mem-process.ts';

const wrong: readonly [name: string, value: string][] = [
  ['MEM_HTTP_PORT', 'http'],
  ['MEM_HTTP_PORT', '-1'],
  ['MEM_HTTP_PORT', '65536'],
  ['MEM_CORS_ORIGINS', 'https://good.example, bad'],
  ['MEM_API_KEYS', ','],
  ['MEM_API_KEYS', ' , ,'],
  ['MEM_S3_BUCKET', 'memory-of-the-team'],
  ['MEM_API_KEYS', 'with a space in it'],
  ['MEM_POSTGRES_DSN', 'mysql://localhost/mem'],
  ['MEM_POSTGRES_DSN', 'postgres://[/mem'],
  ['MEM_POSTGRES_DIRECT_DSN', 'postgres://localhost/mem'],
  ['MEM_POSTGRES_POOL', '0'],
  ['MEM_POSTGRES_POOL', '1.5'],
  ['MEM_ROW_SECURITY', 'maybe'],
  ['MEM_POSTGRES_APP_ROLE', 'two words'],
  ['MEM_AGENT_ID', 'two\nlines'],
  ['MEM_AGENT_ID', 'x'.repeat(257)],
  ['MEM_MAX_VALUE_BYTES', '0'],
  ['MEM_MAX_BODY_BYTES', '1023'],
  ['MEM_MAX_ANSWER_BYTES', '1000'],
  ['MEM_MAX_ACCOUNT_ANSWER_BYTES', 'much'],
  ['MEM_LOG_LEVEL', 'loud'],
  ['MEM_TTL_SWEEP_SECONDS', '0'],
  ['MEM_HTTP_URL', 'ftp://example'],
];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mem-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('a bad configuration', () => {
  it.each(wrong)('%s=%j is refused by its name alone', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^${name} [a-z][^\n]*$`));
  });

  it('an empty variable is one that is not set', () => {
    expect(readConfig({ MEM_HTTP_PORT: '', MEM_API_KEYS: '' })).toMatchObject({ http: { port: 8080 }, apiKeys: [] });
  });

  it('a short key is accepted with a warning that does not show it', async () => {
    const keys = 'a-long-random-secret-1,tiny5,fifteen-letters';
    const { apiKeys, warnings } = readConfig({ MEM_API_KEYS: keys });
    expect(apiKeys).toEqual(keys.split(','));
    expect(warnings).toEqual([
      'MEM_API_KEYS: key 2 has 5 characters; one of fewer than 16 can be guessed',
      'MEM_API_KEYS: key 3 has 15 characters; one of fewer than 16 can be guessed',
    ]);
    const mem = await startMem({ MEM_DATA_DIR: newFolder(), MEM_API_KEYS: 'tiny5' });
    const read = (key: string) => fetch(`${mem.url}/api/v1/stats`, { headers: { 'x-mem-api-key': key } });
    expect((await read('tiny5')).status).toBe(200);
    expect((await read('tiny6')).status).toBe(401);
    expect(mem.output()).toContain('MEM_API_KEYS: key 1 has 5 characters');
    expect(mem.output()).not.toContain('tiny5');
    expect(await mem.stop()).toEqual({ code: 0, signal: null });
  });

  it('stops the start with exit code 2 and a line for each variable, and nothing else', async () => {
    const folder = newFolder();
    const result = await runMem({
      MEM_HTTP_PORT: 'x',
      MEM_LOG_LEVEL: 'loud',
      MEM_API_KEYS: 'tiny words',
      MEM_DATA_DIR: folder,
    });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    const lines = result.output.trim().split('\n');
    expect(lines).toHaveLength(3);
    for (const name of ['MEM_HTTP_PORT', 'MEM_LOG_LEVEL', 'MEM_API_KEYS'])
      expect(result.output).toContain(`mem: ${name} `);
    expect(result.output).not.toContain('tiny words');
  });

  it('an unknown variable is warned of, and does not stop the start', async () => {
    const mem = await startMem({ MEM_DATA_DIR: newFolder(), MEM_HTTP_PROT: '8080', MEM_S3_BUCKET: '' });
    expect(mem.output()).toContain('MEM_HTTP_PROT is not a variable that mem knows');
    expect(mem.output()).not.toContain('MEM_S3_BUCKET');
    expect(await mem.stop()).toEqual({ code: 0, signal: null });
  });

  it.each([
    ['MEM_APIKEYS', 'MEM_API_KEYS'],
    ['MEM_PORT', 'MEM_HTTP_PORT'],
    ['MEM_HOST', 'MEM_HTTP_HOST'],
    ['MEM_DATADIR', 'MEM_DATA_DIR'],
    ['MEM_DSN', 'MEM_POSTGRES_DSN'],
  ])('%s is answered with the variable that was meant', (given, meant) => {
    const message = `${given} is not a variable that mem knows. Did you mean ${meant}?`;
    expect(readConfig({ [given]: 'x' }).warnings).toEqual([message]);
  });

  it('the key of a client is no key of a server, and the start says so', async () => {
    const mem = await startMem({ MEM_DATA_DIR: newFolder(), MEM_API_KEY: 'a-key-of-forty-characters' });
    expect(mem.output()).toContain('Set MEM_API_KEYS to require one');
    expect(await mem.stop()).toEqual({ code: 0, signal: null });
    const keys = { MEM_API_KEY: 'a-key-of-forty-characters', MEM_API_KEYS: 'a-key-of-forty-characters' };
    const closed = await startMem({ MEM_DATA_DIR: newFolder(), ...keys });
    expect(closed.output()).not.toContain('to require one');
    await closed.stop();
  });
});

describe('a start that cannot succeed says why in one line', () => {
  async function refusal(env: Record<string, string>): Promise<string> {
    const { code, output, stdout } = await runMem(env);
    expect(code).toBeGreaterThan(0);
    expect(stdout).toBe('');
    expect(output.trim().split('\n')).toHaveLength(1);
    return output;
  }

  it('a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const port = String((taken.address() as AddressInfo).port);
    expect(await refusal({ MEM_DATA_DIR: newFolder(), MEM_HTTP_PORT: port })).toBe(
      `mem: port ${port} is already in use on 127.0.0.1: choose another with --port or MEM_HTTP_PORT\n`,
    );
  });

  it('an address of another machine', async () => {
    expect(await refusal({ MEM_DATA_DIR: newFolder(), MEM_HTTP_HOST: '192.0.2.1' })).toBe(
      'mem: 192.0.2.1 is not an address of this machine: see --host and MEM_HTTP_HOST\n',
    );
  });

  it('a data folder that cannot be made', async () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    expect(await refusal({ MEM_DATA_DIR: join(file, 'data') })).toMatch(
      /^mem: MEM_DATA_DIR .* cannot be used: .*ENOTDIR.*\): set MEM_DATA_DIR/,
    );
  });

  it.skipIf(process.getuid?.() === 0)('a data folder that may not be written', async () => {
    const folder = newFolder();
    chmodSync(folder, 0o555);
    expect(await refusal({ MEM_DATA_DIR: folder })).toMatch(/^mem: MEM_DATA_DIR .* cannot be used: /);
  });

  it('a file that is no database', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'mem.db'), 'these are not the bytes of a database '.repeat(200));
    expect(await refusal({ MEM_DATA_DIR: folder })).toMatch(
      /^mem: MEM_DATA_DIR .*: the stored data is damaged: file is not a database: restore a backup, or choose another folder$/m,
    );
  });
});
