import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk, type ServingProcess, serve } from './support.ts';

const AWAY = 'http://127.0.0.1:9';

describe('a command that fails', () => {
  let desk: Desk;
  let server: ServingProcess;
  beforeAll(async () => {
    desk = await openDesk();
    await desk.mem(['write', 'svc', 'k', '1']);
    server = await serve({ ...desk.env, MEM_API_KEYS: 'a-key-for-the-tests' });
  });
  afterAll(async () => {
    await server.stop();
    desk.remove();
  });

  it.concurrent.each([
    [['read', '', 'k'], 2, 'mem: entity_path: must not be empty'],
    [['read', 'svc'], 2, 'mem: key is missing: see mem help read'],
    [['write', 'svc', 'k'], 2, 'mem: value is missing, and standard input is empty: see mem help write'],
    [['write'], 2, 'mem: entity_path and key are missing: see mem help write'],
    [['write', 'svc'], 2, 'mem: key is missing: see mem help write'],
    [['set-retrieval'], 2, 'mem: --fit-weights is missing: see mem help set-retrieval'],
    [
      ['write', 'svc', 'k', '1', '--confidense', '1'],
      2,
      'mem: write has no flag --confidense. Did you mean --confidence?',
    ],
    [['write', 'svc', 'k', '1', '--confidence', '2'], 2, 'mem: --confidence: must be at most 1'],
    [['write', 'svc', 'k', '1', '--confidence', 'much'], 2, 'mem: --confidence must be a number, not "much"'],
    [
      ['write', 'svc', 'k', '1', '--memory-type', 'fiction'],
      2,
      expect.stringContaining('--memory-type must be one of'),
    ],
    [['write', 'svc', 'k', '1', '--shared=maybe'], 2, 'mem: --shared is true or false, not "maybe"'],
    [
      ['write', 'svc', 'k', 'two', 'words'],
      2,
      'mem: write does not take "words": it takes <entity-path> <key> <value>. Quote what belongs together',
    ],
    [['list', '--limit'], 2, 'mem: --limit needs a value'],
    [['list', '--limit', '1', '--limit', '2'], 2, 'mem: --limit is given twice'],
    [['list', '--cursor', 'made-up'], 2, expect.stringContaining('cursor')],
    [['list', '--agent', ' '], 2, 'mem: --agent: must not be empty'],
    [['wirte'], 2, 'mem: there is no command "wirte". Did you mean write?'],
    [
      ['show-room', 'nowhere-k3x9q2'],
      3,
      expect.stringMatching(/^mem: there is no open room .*\n.*mem rooms lists those of the account/),
    ],
    [['show-incident', 'none'], 3, 'mem: there is no incident none\nmem: mem incidents lists those that there are'],
    [['--json'], 2, expect.stringContaining('the command comes first')],
    [['commit', 'no-such-file.json'], 2, expect.stringContaining('no-such-file.json')],
    [['commit', 'writes.json'], 2, 'mem: writes: this is not JSON with objects'],
    [['completion', 'csh'], 2, 'mem: give one shell: mem completion bash|zsh|fish|powershell'],
    [['serve', 'now'], 2, 'mem: serve does not take "now": it takes nothing but flags. Quote what belongs together'],
    [['serve', '--port', 'many'], 2, 'mem: --port must be a whole number from 0 to 65535, not "many"'],
    [['serve', '--port', '70000'], 2, 'mem: --port must be a whole number from 0 to 65535, not "70000"'],
    [['serve', '--prot', '1'], 2, 'mem: serve has no flag --prot. Did you mean --port?'],
    [['list', '--sort', 'recnt'], 2, expect.stringContaining('not "recnt". Did you mean recent?')],
    [
      ['commit', '{"entity_path":"svc","key":"k","value":1,"confidense":1}'],
      2,
      'mem: writes.0.confidense: is not a known field. Did you mean confidence?',
    ],
    [['serve', '--local', '--host', '0.0.0.0'], 2, 'mem: --local listens on 127.0.0.1: leave out --host 0.0.0.0'],
    [['read', 'svc', 'missing'], 3, 'mem: there is no entry svc missing'],
    [['list', '--branch', 'other'], 3, 'mem: there is no branch "other"'],
    [['run-cases', 'none'], 3, 'mem: there is no case in set none: mem create-case keeps one'],
    [['write', 'svc', 'k', '2', '--if-version', '9'], 5, 'mem: the entry is at version 1, not 9'],
  ])('%j ends with %i and one clear line', async (args, code, line) => {
    if (args[1] === 'writes.json') writeFileSync(join(desk.folder, 'writes.json'), 'no JSON');
    const start = ['wirte', 'commit'].includes(args[0] as string) ? desk.mem : desk.inProcess;
    const run = await start(args);
    expect({ ...run, err: run.err.trimEnd() }).toEqual({ code, out: '', err: line });
  });

  it('names the command that changes what is there already', async () => {
    const set = ['set-alert', 'dear', 'cost_usd', '1'];
    expect(await desk.inProcess(set)).toMatchObject({ code: 0 });
    expect(await desk.inProcess(set)).toEqual({
      ...{ code: 5, out: '', err: 'mem: there is a rule dear already: mem change-alert changes it\n' },
    });
  });

  const line = (text: string) => expect.stringMatching(new RegExp(`^mem: ${text}.*\n$`));
  const notMade = line('the database cannot be used: \\S+ cannot be made \\(.+\\): set MEM_DATA_DIR to a folder');
  it.concurrent.each([
    {
      what: 'a bad port',
      env: { MEM_HTTP_PORT: 'many' },
      code: 2,
      err: line('MEM_HTTP_PORT must be a whole number between 0 and 65535'),
    },
    { what: 'a bad address', env: { MEM_HTTP_URL: 'ftp://x' }, code: 2, err: line('MEM_HTTP_URL must be ') },
    { what: 'a password in it', env: { MEM_HTTP_URL: 'http://a:b@localhost' }, code: 2, err: line('MEM_HTTP_URL: ') },
    { what: 'a store that is a file', env: { MEM_DATA_DIR: '/dev/null' }, code: 6, err: notMade },
    {
      what: 'a store below a file',
      env: { MEM_DATA_DIR: '/dev/null/x' },
      args: ['write', 'a', 'k', '1'],
      code: 6,
      err: notMade,
    },
    {
      what: 'a place without folders',
      env: { MEM_DATA_DIR: '/proc/x/y' },
      args: ['write', 'a', 'k', '1'],
      code: 6,
      err: notMade,
    },
    {
      what: 'a server that is away',
      env: { MEM_HTTP_URL: AWAY },
      code: 6,
      err: line(
        'cannot reach .* MEM_HTTP_URL names this server: start it \\(mem serve --local\\), or unset MEM_HTTP_URL',
      ),
    },
    {
      what: 'an address of a route',
      env: { MEM_HTTP_URL: `${AWAY}/api/v1` },
      code: 2,
      err: line('MEM_HTTP_URL must be given without /api/v1'),
    },
    {
      what: 'an unknown target of connections',
      env: { MEM_POSTGRES_DSN: 'postgres://127.0.0.1:9/x?target_session_attrs=foo' },
      code: 2,
      err: line('the database cannot be used: target_session_attrs is foo, and must be one of '),
    },
    {
      what: 'a server that writes on hosts that do not',
      env: { MEM_POSTGRES_DSN: 'postgres://127.0.0.1:9/x?target_session_attrs=standby' },
      code: 2,
      err: line('the database cannot be used: target_session_attrs=standby asks for a server that takes no writes'),
    },
    {
      what: 'a database that is away',
      env: { MEM_POSTGRES_DSN: 'postgres://127.0.0.1:9/x' },
      code: 6,
      err: line('the database cannot be reached: '),
    },
  ])('$what is told without a stack trace', async ({ env, args = ['list'], code, err }) => {
    const start = env.MEM_HTTP_URL === AWAY ? desk.mem : desk.inProcess;
    expect(await start(args, { env })).toEqual({ code, out: '', err });
  });

  it.each([
    ['a read-only folder', {}, /MEM_READ_ONLY is for a standby of PostgreSQL/],
    ['two standbys for one server', { MEM_POSTGRES_DSN: 'postgres://127.0.0.1:9,127.0.0.1:10/x' }, /name one host/],
  ])('serve takes %s for bad configuration', async (_, env, err) => {
    const run = await desk.mem(['serve', '--port', '0'], { env: { MEM_READ_ONLY: 'on', ...env } });
    expect(run).toMatchObject({ code: 2, err: expect.stringMatching(err) });
  });

  it('serve reports a bad variable too', async () => {
    const run = await desk.mem(['serve'], { env: { MEM_HTTP_PORT: 'many' } });
    expect(run).toEqual({ code: 2, out: '', err: 'mem: MEM_HTTP_PORT must be a whole number between 0 and 65535\n' });
  });

  it('a wrong key ends with 4, with --json as the problem itself', async () => {
    const env = { MEM_HTTP_URL: server.url, MEM_API_KEY: 'wrong' };
    expect(await desk.inProcess(['list'], { env })).toMatchObject({
      code: 4,
      out: '',
      err: 'mem: the server refuses the key in MEM_API_KEY: the API key is not valid\n',
    });
    const { code, err } = await desk.inProcess(['list', '--json'], { env });
    expect(code).toBe(4);
    expect(JSON.parse(err)).toMatchObject({ code: 'unauthenticated', status: 401 });
  });

  it('a missing key is asked for by the name of the variable, not of a header', async () => {
    const env = { MEM_HTTP_URL: server.url };
    expect(await desk.inProcess(['list'], { env })).toEqual({
      code: 4,
      out: '',
      err: 'mem: the server asks for a key: set MEM_API_KEY\n',
    });
  });

  it('an address and a database at the same time are warned of, and the address is used', async () => {
    const env = { MEM_HTTP_URL: server.url, MEM_POSTGRES_DSN: 'postgres://127.0.0.1:9/x' };
    const { code, err, out } = await desk.inProcess(['health'], { env });
    expect(code).toBe(0);
    expect(err).toMatch(/^mem: warning: MEM_HTTP_URL and MEM_POSTGRES_DSN are both set: clients use MEM_HTTP_URL\n$/);
    expect(out).toContain('sqlite');
  });

  it('verify reports a value that was changed in the tables, and exits with 1', async () => {
    const { DatabaseSync } = await import('@photostructure/sqlite');
    const other = await openDesk();
    try {
      await other.inProcess(['write', 'svc', 'k', '1']);
      await other.inProcess(['write', 'svc', 'other', '1']);
      const database = new DatabaseSync(join(other.folder, 'store', 'mem.db'));
      database.exec(`UPDATE versions SET document = replace(document, '"value":1', '"value":2')
        WHERE document LIKE '%"key":"k"%'`);
      database.close();
      const { code, out } = await other.mem(['verify']);
      expect(code).toBe(1);
      expect(out).toBe('checked 2 versions: 1 problem\nsvc k: version 1 does not match its hash\n');
      expect((await other.inProcess(['verify', '--json'])).code).toBe(1);
    } finally {
      other.remove();
    }
  });

  it('verify-audit says what was tampered with, and exits with 1', async () => {
    const { DatabaseSync } = await import('@photostructure/sqlite');
    const other = await openDesk();
    try {
      await other.inProcess(['write', 'svc', 'k', '1']);
      expect(await other.inProcess(['audit.verify'])).toMatchObject({ code: 0, out: 'checked 1 line: all intact\n' });
      const database = new DatabaseSync(join(other.folder, 'store', 'mem.db'));
      database.exec(`UPDATE audit SET action = 'entries.read' WHERE no = 1`);
      database.close();
      const { code, out } = await other.mem(['verify-audit']);
      expect(code).toBe(1);
      expect(out).toMatch(
        /^checked \d lines?: 1 problem\nline 1 was changed\nthe audit trail is not as it was written/,
      );
      expect((await other.inProcess(['verify-audit', '--json'])).code).toBe(1);
    } finally {
      other.remove();
    }
  });
});
