import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { createClient } from '@mem-service/sdk';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Desk, openDesk, type ServingProcess, serve } from '../cli/support.ts';
import { makeMem0History } from './databases.ts';

const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));
const KEY = 'a-key-of-the-transfer-test';

async function newDesk(): Promise<Desk> {
  const desk = await openDesk();
  onTestFinished(() => desk.remove());
  return desk;
}

async function newServer(desk: Desk): Promise<ServingProcess> {
  const server = await serve({ ...desk.env, MEM_API_KEYS: KEY });
  onTestFinished(async () => {
    await server.stop();
  });
  return server;
}

const remote = ({ url }: ServingProcess) => ({ env: { MEM_HTTP_URL: url, MEM_API_KEY: KEY } });

describe('mem export and mem import', () => {
  let source: Desk;
  let file: string;
  let text: string;
  beforeAll(async () => {
    source = await openDesk();
    for (const args of [
      ['write', 'checkout/payments', 'retry-policy', '{ "max": 1.0 }'],
      ['write', 'checkout/payments', 'retry-policy', 'again'],
      ['write', 'notes', 'secret', 'hidden', '--no-shared', '--agent', 'agent/x'],
      ['read', 'checkout/payments', 'retry-policy'],
      ['outcome', 'deploy-1', 'success'],
      ['delete', 'checkout/payments', 'retry-policy'],
    ])
      expect(await source.inProcess(args)).toMatchObject({ code: 0 });
    file = join(source.folder, 'account.jsonl');
    const { code, err } = await source.mem(['export', '--out', file]);
    expect({ code, err }).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^exported \d+ records, up to seq \d+/),
    });
    text = readFileSync(file, 'utf8');
  });
  afterAll(() => source.remove());

  it('write what is there, private entries too, to a file that is whole', async () => {
    expect(text).toContain('{ "max": 1.0 }');
    expect(text).toContain('"hidden"');
    expect(text.endsWith('\n')).toBe(true);
    expect(existsSync(`${file}.part`)).toBe(false);
    const { out, err } = await source.mem(['export']);
    expect(out).toBe(text);
    expect(err).toBe('');
    expect((await source.mem(['transfer.export'])).out).toBe(text);
  });

  it('compress and read what is compressed', async () => {
    const desk = await newDesk();
    const zipped = join(desk.folder, 'account.jsonl.gz');
    expect((await source.inProcess(['export', '--out', zipped])).code).toBe(0);
    expect(gunzipSync(readFileSync(zipped)).toString()).toBe(text);
    expect(await desk.inProcess(['import', zipped])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^imported: \d+/),
    });
    expect((await desk.mem(['export'])).out).toBe(text);
  });

  it('take the entries of a branch to another account', async () => {
    const desk = await newDesk();
    const calls = [
      ['branch', 'experiment/one'],
      ['write', 'a/b', 'k', '{ "max": 1.0 }', '--branch', 'experiment/one'],
      ['write', 'a/b', 'own', 'of an agent', '--agent', 'agent/x', '--branch', 'experiment/one'],
      ['write', 'a/b', 'k', '"of main"'],
      ['write', 'a/b', 'later', 'on main'],
    ];
    for (const args of calls) expect(await desk.inProcess(args)).toMatchObject({ code: 0 });
    const out = join(desk.folder, 'branch.jsonl');
    expect(await desk.inProcess(['export', '--branch', 'experiment/one', '--out', out])).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^exported 2 entries of experiment\/one, up to seq \d+/),
    });
    const lines = readFileSync(out, 'utf8');
    expect(lines).toContain('{ "max": 1.0 }');
    const other = await newDesk();
    const wrote = { code: 0, out: expect.stringContaining('wrote 2 versions') };
    expect(await other.inProcess(['import', out])).toMatchObject(wrote);
    expect(await other.inProcess(['import', out])).toMatchObject({ out: expect.stringContaining('wrote 0 versions') });
    const { out: text } = await other.mem(['export', '--branch', 'main']);
    const entriesOf = (file: string) => file.split('\n').slice(1);
    expect(entriesOf(text)).toEqual(entriesOf(lines));
    expect(await desk.inProcess(['import', '-'], { input: lines.split('\n').slice(0, 2).join('\n') })).toMatchObject({
      code: 2,
      err: expect.stringContaining('it is incomplete'),
    });
  });

  it('take an account to a server and back', async () => {
    const desk = await newDesk();
    const server = await newServer(desk);
    expect(await desk.mem(['import', '-'], { ...remote(server), input: text })).toMatchObject({ code: 0 });
    expect((await desk.mem(['export'], remote(server))).out).toBe(text);
    const client = createClient({ url: server.url, apiKey: KEY });
    const records = [];
    for await (const record of client.transfer.export()) records.push(record.record);
    expect(records).toHaveLength(text.split('\n').length - 1);
    expect(records[0]).toBe('header');
    const denied = createClient({ url: server.url, retries: 0 }).transfer.export().next();
    await expect(denied).rejects.toMatchObject({ status: 401 });
  });

  it('go on with an import that was interrupted', async () => {
    const desk = await newDesk();
    const server = await newServer(desk);
    const client = createClient({ url: server.url, apiKey: KEY });
    const lines = text.trimEnd().split('\n');
    await client.transfer.add({ from: 0, lines: lines.slice(0, 7) });
    const other = join(desk.folder, 'other.jsonl');
    const swapped = [...lines];
    swapped[6] = lines[7] as string;
    for (const content of [text.replace(/"seq":/, '"seq":9'), swapped.join('\n')]) {
      writeFileSync(other, content);
      expect(await desk.inProcess(['import', other], remote(server))).toMatchObject({
        code: 5,
        err: expect.stringContaining('another import is under way (7 lines)'),
      });
    }
    const { code, out } = await desk.inProcess(['import', file, '--json'], remote(server));
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, resumed_at: 7, records: lines.length - 1 });
    expect((await desk.mem(['export'], remote(server))).out).toBe(text);
  });

  it('refuse what is not whole or not right, and leave nothing of it', async () => {
    const desk = await newDesk();
    const lines = text.trimEnd().split('\n');
    const wrong = [...lines];
    wrong[4] = '{"record":"dream"}';
    const cases: [content: string, message: RegExp][] = [
      [wrong.join('\n'), /line 5 of the file is a record of the unknown kind/],
      [lines.slice(0, -2).join('\n'), /it is incomplete/],
      [text.replace('"version":1,"seq"', '"version":2,"seq"'), /line 1 of the file is of version 2/],
      ['{"some":"thing"}\n', /line 1 is not the header of an export/],
      ['', /the file is empty/],
    ];
    const bad = join(desk.folder, 'bad.jsonl');
    for (const [content, message] of cases) {
      writeFileSync(bad, content);
      const { code, err } = await desk.inProcess(['import', bad]);
      expect(err).toMatch(message);
      expect(code).toBe(2);
    }
    writeFileSync(bad, wrong.join('\n'));
    expect(await desk.inProcess(['import', bad, '--dry-run'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('line 5 of the file'),
    });
    const { out } = await desk.inProcess(['transfer.status', '--json']);
    expect(JSON.parse(out)).toMatchObject({ received: 0, is_empty: true });
    expect(await desk.inProcess(['import', file, '--dry-run'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('can be imported'),
    });
    expect(await desk.inProcess(['import', file])).toMatchObject({ code: 0 });
    expect(await desk.inProcess(['import', file])).toMatchObject({
      code: 5,
      err: expect.stringContaining('empty account'),
    });
    expect((await desk.mem(['export'])).out).toBe(text);
  });
});

describe('a file that mem import cannot take', () => {
  const header = '{"record":"header","counts":{"entry":3}}';
  const cases: [what: string, content: string | undefined, message: string][] = [
    ['nothing known', 'hello\n', 'line 1 is not the header of an export'],
    ['a part of an export', `${header}\n{}\n`, 'the file has 1 records, and its header announces 3'],
    ['not there', undefined, 'mem: there is no such file: given.jsonl\n'],
  ];
  it.each(cases)('is refused for what it is (%s), and creates no store', async (_, content, message) => {
    const desk = await newDesk();
    if (content !== undefined) writeFileSync(join(desk.folder, 'given.jsonl'), content);
    const refused = { code: 2, err: expect.stringContaining(message) };
    expect(await desk.mem(['import', 'given.jsonl'])).toMatchObject(refused);
    expect(existsSync(join(desk.folder, 'store'))).toBe(false);
    await desk.inProcess(['write', 'a', 'k', '1']);
    expect(await desk.mem(['import', 'given.jsonl'])).toMatchObject(refused);
  });
});

describe('mem import --from', () => {
  it('reports what it would write, writes it, and changes nothing the second time', async () => {
    const desk = await newDesk();
    cpSync(join(fixtures, 'mem0'), join(desk.folder, 'mem0'), { recursive: true });
    await makeMem0History(join(desk.folder, 'mem0', 'history.db'));
    const run = async (...more: string[]) => {
      const { code, out, err } = await desk.inProcess(['import', '--from', 'mem0', join(desk.folder, 'mem0'), ...more]);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return out;
    };
    const tried = await run('--dry-run');
    expect(tried).toContain('would write 4 versions and 1 links');
    expect(tried).toContain('nearly the same in the files:');
    expect(await desk.inProcess(['list', '--json'])).toMatchObject({ code: 3, out: '' });
    expect(await run()).toContain('wrote 4 versions and 1 links');
    const again = await run();
    expect(again).toContain('wrote 0 versions and 0 links');
    expect(again).toContain('the same already: 4 versions and 1 links');
    const read = ['read', 'mem0/users/ada', '6f0c1f0a-0000-4000-8000-000000000001', '--json'];
    expect(JSON.parse((await desk.inProcess(read)).out)).toMatchObject({
      version: 2,
      value: { memory: 'Drinks coffee now' },
      provenance: { agent_id: 'ada', written_at: '2024-06-01T10:00:00.000Z' },
    });
    const file = join(desk.folder, 'mem0', 'memories.json');
    writeFileSync(
      file,
      readFileSync(file, 'utf8')
        .replace('Works at night', 'Works by day')
        .replace('"updated_at": null', '"updated_at": "2025-01-01T00:00:00Z"'),
    );
    const report = JSON.parse(await run('--dry-run', '--json', '--on-conflict', 'skip'));
    expect(report).toMatchObject({
      entries: { written: 0, skipped: 1 },
      conflicts: [{ status: 'skipped', version: 1 }],
    });
    expect(await run()).toContain('another value was there: a new version');
  });

  it.each([
    ['server-memory', 'memory.jsonl', 2],
    ['basic-memory', 'basic-memory', 3],
    ['letta', 'letta.af', 4],
    ['zep', 'zep', 7],
  ])('reads %s', async (system, path, count) => {
    const desk = await newDesk();
    const { code, out } = await desk.inProcess([
      'import',
      '--from',
      system,
      join(fixtures, path),
      '--into',
      'old/one',
      '--json',
    ]);
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, entries: { written: count } });
    const listed = JSON.parse((await desk.inProcess(['list', 'old/one/**', '--json'])).out);
    const direct = JSON.parse((await desk.inProcess(['list', 'old/one', '--json'])).out);
    expect(listed.entries.length + direct.entries.length).toBe(count);
  });

  it('skips values that are too large, and reports them', async () => {
    const desk = await newDesk();
    const { code, out } = await desk.inProcess(
      ['import', '--from', 'server-memory', join(fixtures, 'memory.jsonl'), '--json'],
      {
        env: { MEM_MAX_VALUE_BYTES: '80' },
      },
    );
    expect({ code, ...JSON.parse(out) }).toMatchObject({
      code: 0,
      entries: { written: 1 },
      links: { written: 1, missing: 1 },
      too_large: [{ entity_path: 'server-memory/person', key: 'Ada Marsh' }],
    });
  });

  it('names values that look like secrets, imported or refused', async () => {
    const desk = await newDesk();
    const memories = [
      { id: 'a', memory: 'DB_PASSWORD: correct-horse-battery' },
      { id: 'b', memory: 'Drinks tea' },
    ];
    writeFileSync(join(desk.folder, 'm.json'), JSON.stringify(memories));
    const run = async (mode: string) => {
      const { out } = await desk.inProcess(['import', join(desk.folder, 'm.json'), '--dry-run', '--json'], {
        env: { MEM_SECRETS: mode },
      });
      return JSON.parse(out);
    };
    const key = { entity_path: 'mem0/memories', key: 'a' };
    expect(await run('warn')).toMatchObject({ entries: { written: 2 }, secrets: [], warnings: [key] });
    expect(await run('refuse')).toMatchObject({ entries: { written: 1 }, secrets: [key], warnings: [] });
  });

  it('says what is wrong with a file', async () => {
    const desk = await newDesk();
    writeFileSync(join(desk.folder, 'x.json'), '{');
    for (const [args, message] of [
      [['--from', 'zep', 'x.json'], 'is not JSON'],
      [['--from', 'zep', 'nowhere.json'], 'no such file'],
      [['--from', 'nobody', 'x.json'], '--from must be one of'],
      [['--from', 'zep', 'x.json', '--into', 'a//b'], '--into'],
      [[], 'path is missing'],
    ] as const)
      expect(await desk.mem(['import', ...args])).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});

describe('mem import without --from', () => {
  it('recognises the file of another system, says so, and imports it', async () => {
    const desk = await newDesk();
    const file = join(fixtures, 'memory.jsonl');
    const first = await desk.inProcess(['import', file]);
    expect(first).toMatchObject({
      code: 0,
      err: `${file}: recognised as the memory of server-memory, as with --from server-memory\n`,
      out: expect.stringContaining('wrote 2 versions and 2 links'),
    });
    expect((await desk.inProcess(['import', file])).out).toContain('wrote 0 versions and 0 links');
    const ada = ['read', 'server-memory/person', 'Ada Marsh', '--json'];
    expect(JSON.parse((await desk.inProcess(ada)).out)).toMatchObject({ version: 1, confidence: 0.7 });
    const folder = await desk.inProcess([
      'import',
      join(fixtures, 'basic-memory'),
      '--into',
      'notes',
      '--json',
      '--dry-run',
    ]);
    expect({ ...folder, ...JSON.parse(folder.out) }).toMatchObject({
      code: 0,
      system: 'basic-memory',
      entries: { written: 3 },
      err: expect.stringContaining('recognised as the memory of basic-memory'),
    });
  });

  it('shows control characters in the name of a file', async () => {
    const desk = await newDesk();
    const name = 'a\u001b[2J.jsonl';
    cpSync(join(fixtures, 'memory.jsonl'), join(desk.folder, name));
    const { err } = await desk.mem(['import', name, '--dry-run']);
    expect(err).toContain(String.raw`a\u001b[2J.jsonl: recognised`);
  });

  it('asks for it where the files are of two systems, or of none', async () => {
    const desk = await newDesk();
    cpSync(join(fixtures, 'memory.jsonl'), join(desk.folder, 'both', 'memory.jsonl'), { recursive: true });
    cpSync(join(fixtures, 'letta.af'), join(desk.folder, 'both', 'letta.af'));
    writeFileSync(join(desk.folder, 'x.txt'), 'nothing of anybody\n');
    for (const [path, message] of [
      ['both', /both may be of letta or server-memory: give --from with one of mem0, /],
      ['x.txt', /line 1 is not the header of an export, and the file is of no other system that is known/],
      ['nowhere', /no such file/],
      ['.', /\. may be of letta or server-memory|\. holds nothing of mem0/],
    ] as const) {
      const { code, err } = await desk.mem(['import', path]);
      expect(err).toMatch(message);
      expect(code).toBe(2);
    }
  });
});
