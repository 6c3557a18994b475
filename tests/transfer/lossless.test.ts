import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations, shapes, stringify } from '@mem-service/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readForeign, recogniseSystems } from '../../packages/server/src/import/index.ts';
import type { System } from '../../packages/server/src/import/systems.ts';
import { splitLines } from '../../packages/server/src/text-lines.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { makeClaudeMem, makeMem0History } from './databases.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mem-lossless-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, content: unknown) => {
  const file = join(folder, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

async function read(system: System, path: string) {
  const found = await readForeign(system, { path, into: system });
  const { entries, links } = found;
  const input = operations['entries.import'].input.safeParse({ source: system, entries, links });
  expect(input.error?.issues ?? []).toEqual([]);
  return found;
}

const entity = (name: string, observations: string[], entityType = 'person') => ({
  type: 'entity',
  name,
  entityType,
  observations,
});
const jsonLines = (items: unknown[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');

describe('memories of mem0', () => {
  it('without ids each become an entry, under the same key each time', async () => {
    const memories = [
      { memory: 'Likes tea', user_id: 'ada' },
      { memory: 'Likes rain', user_id: 'ada' },
      { memory: 'Likes tea', user_id: 'bob' },
      { memory: 'Likes tea', user_id: 'ada' },
    ];
    const first = await read('mem0', put('a.json', { results: memories }));
    expect(first.entries.map(({ entity_path, value }) => [entity_path, value])).toEqual([
      ['mem0/users/ada', { memory: 'Likes tea' }],
      ['mem0/users/ada', { memory: 'Likes rain' }],
      ['mem0/users/bob', { memory: 'Likes tea' }],
    ]);
    expect(first.repeated).toBe(1);
    const again = await read('mem0', put('b.json', memories.toReversed()));
    const keys = ({ entries }: typeof first) => entries.map(({ entity_path, key }) => `${entity_path} ${key}`).sort();
    expect(keys(again)).toEqual(keys(first));
  });

  it('with the same id in two files become versions, the last updated being the newest', async () => {
    const at = { id: 'm1', user_id: 'ada', created_at: '2024-01-01T00:00:00Z' };
    put('a.json', {
      results: [{ ...at, memory: 'new', updated_at: '2025-05-01T00:00:00Z', metadata: { place: 'a' } }],
    });
    put('b.json', { results: [{ ...at, memory: 'old', updated_at: '2024-05-01T00:00:00Z', user_id: 'nobody' }] });
    put('c.json', { results: [{ id: 'm1', memory: 'without a time' }] });
    const { entries } = await read('mem0', folder);
    expect(entries).toMatchObject([
      { value: { memory: 'without a time' }, written_at: '2024-05-01T00:00:00.000Z' },
      { value: { memory: 'old', user_id: 'nobody' }, written_at: '2024-05-01T00:00:00.000Z' },
      {
        entity_path: 'mem0/users/ada',
        value: { memory: 'new', metadata: { place: 'a' }, created_at: '2024-01-01T00:00:00Z' },
        written_at: '2025-05-01T00:00:00.000Z',
      },
    ]);
  });

  it('keep their expiry, and those that have expired are reported', async () => {
    const { entries, notes } = await read(
      'mem0',
      put('a.json', [
        { id: 'm1', memory: 'until a day', expiration_date: '2099-12-31' },
        { id: 'm2', memory: 'until a time', expiration_date: '2099-12-31T10:00:00+02:00' },
        { id: 'm3', memory: 'over', expiration_date: '2020-01-01' },
        { id: 'm4', memory: 'prolonged', expiration_date: '2020-01-01', updated_at: '2019-01-01T00:00:00Z' },
        { id: 'm4', memory: 'prolonged', expiration_date: '2099-12-31', updated_at: '2019-06-01T00:00:00Z' },
      ]),
    );
    expect(entries.map(({ key, ttl_at }) => [key, ttl_at])).toEqual([
      ['m1', '2100-01-01T00:00:00.000Z'],
      ['m2', '2099-12-31T08:00:00.000Z'],
      ['m4', '2100-01-01T00:00:00.000Z'],
      ['m4', '2100-01-01T00:00:00.000Z'],
    ]);
    expect(entries[0]?.value).toMatchObject({ expiration_date: '2099-12-31' });
    expect(notes).toEqual(['1 memory was left behind: expired there']);
  });

  it('keep what has no place here in their value, with the digits of numbers', async () => {
    const { entries } = await read(
      'mem0',
      put(
        'a.json',
        '[{"id":"m1","memory":"x","user_id":"ada","agent_id":"bot","actor_id":"eva","run_id":"r1","app_id":"shop",' +
          '"immutable":true,"structured_attributes":{"day":3},"categories":["a"],"metadata":{"order":12345678901234567890},' +
          '"score":0.42,"owner":"me","hash":"h"}]',
      ),
    );
    expect(entries).toMatchObject([{ entity_path: 'mem0/users/ada', agent_id: 'eva', session_id: 'r1' }]);
    expect(JSON.parse(stringify(entries[0]?.value))).toEqual({
      memory: 'x',
      immutable: true,
      structured_attributes: { day: 3 },
      categories: ['a'],
      metadata: { order: Number('12345678901234567890') },
      score: 0.42,
      owner: 'me',
      agent_id: 'bot',
      actor_id: 'eva',
      app_id: 'shop',
    });
    expect(stringify(entries[0]?.value)).toContain('12345678901234567890');
  });

  it('that are empty are reported by their numbers', async () => {
    const file = put('a.json', { results: [{ id: 'm1', memory: 'x' }, { id: 'm2', memory: ' ' }, { id: 'm3' }, 7] });
    const { entries, notes } = await read('mem0', file);
    expect(entries).toHaveLength(1);
    expect(notes).toEqual([`${file}: 3 records left out, number 2, 3, 4: no text`]);
  });

  it('are read from JSON Lines as well', async () => {
    const memories = [{ id: 'm1', memory: 'one' }, { id: 'm2', memory: 'two' }, { id: 'm3' }];
    const { entries, notes } = await read('mem0', put('a.jsonl', jsonLines(memories)));
    expect(entries.map(({ key }) => key)).toEqual(['m1', 'm2']);
    expect(notes).toEqual([expect.stringContaining('1 record left out, number 3: no text')]);
  });
});

describe('records without content', () => {
  it('are reported for every system', async () => {
    const graph = put(
      'memory.jsonl',
      jsonLines([entity('Ada', []), { type: 'entity' }, { type: 'relation', from: 'a' }]),
    );
    expect((await read('server-memory', graph)).notes).toEqual([expect.stringContaining('number 2, 3: neither')]);
    const zep = put('zep.json', {
      session_id: 's',
      messages: [{ content: 'x' }, { content: '' }],
      facts: [{ uuid: 'u' }],
    });
    expect((await read('zep', zep)).notes).toEqual(['2 records without content left out']);
    const letta = put('x.af', { name: 'desk', messages: [{ role: 'user', content: 'x' }, { role: 'user' }] });
    expect((await read('letta', letta)).notes).toEqual(['1 record without content left out']);
  });

  it('and values that are nested too deep do not stop the others', async () => {
    const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);
    const { entries, notes } = await read(
      'mem0',
      put('a.json', [
        { id: 'm1', memory: 'x', metadata: { deep } },
        { id: 'm2', memory: 'y' },
      ]),
    );
    expect(entries.map(({ key }) => key)).toEqual(['m2']);
    expect(notes).toEqual([expect.stringContaining('nested deeper than 128 levels: mem0/memories m1')]);
    const hostile = put('b.json', `[${'['.repeat(100_000)}${']'.repeat(100_000)}]`);
    await expect(read('mem0', hostile)).rejects.toThrow('nested deeper than 500 levels');
  });
});

describe('the confidence of what is imported', () => {
  it('is the stated one, or leaves room to rise and to fall', async () => {
    const confidences = async (system: System, file: string) =>
      (await read(system, file)).entries.map(({ confidence = shapes.DEFAULT_CONFIDENCE }) => confidence);
    const memories = [
      { id: 'm1', memory: 'a' },
      { id: 'm2', memory: 'b', confidence: 0.42 },
      { id: 'm3', memory: 'c', metadata: { confidence: 0.5 } },
      { id: 'm4', memory: 'd', confidence: 7 },
    ];
    expect(await confidences('mem0', put('a.json', memories))).toEqual([0.7, 0.42, 0.5, 0.7]);
    const facts = [
      { uuid: 'f1', fact: 'a', rating: 0.9 },
      { uuid: 'f2', fact: 'b', invalid_at: '2020-01-01T00:00:00Z' },
      { uuid: 'f3', fact: 'c' },
    ];
    expect(await confidences('zep', put('z.json', { session_id: 's', messages: [], facts }))).toEqual([0.9, 0.3, 0.7]);
    expect(await confidences('basic-memory', put('n.md', '---\nconfidence: 0.8\n---\nText\n'))).toEqual([0.8]);
    await makeClaudeMem(join(folder, 'claude-mem.db'));
    expect(await confidences('claude-mem', join(folder, 'claude-mem.db'))).toEqual([0.7, 0.6]);
  });
});

describe.each(backends)('a file of server-memory on %s', (backend) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await openTestApp(backend);
  });
  afterEach(() => app.close());

  const take = async (path: string) => {
    const { entries, links } = await read('server-memory', path);
    const done = await app.call('entries.import', { source: 'server-memory', entries, links } as never);
    return [done.written, done.linked];
  };
  const relation = { type: 'relation', from: 'Ada', to: 'Northwind', relationType: 'works_at' };

  it('that names an entity twice has the observations of both, and can be imported twice', async () => {
    const items = [entity('Ada', ['likes tea']), entity('Ada', ['likes rain', 'likes tea']), relation];
    const file = put('memory.jsonl', jsonLines(items));
    expect(await take(file)).toEqual([1, 1]);
    expect(await take(file)).toEqual([0, 0]);
    expect(await app.call('entries.read', { entity_path: 'server-memory/person', key: 'Ada' })).toMatchObject({
      version: 1,
      value: { observations: ['likes tea', 'likes rain'] },
    });
  });

  it('whose names become the same key here loses none of them, and can be imported twice', async () => {
    const file = put('memory.jsonl', jsonLines([entity('Ada', ['one']), entity('Ada\u0007', ['two'])]));
    expect(await take(file)).toEqual([2, 0]);
    expect(await take(file)).toEqual([0, 0]);
  });

  it('that is imported again leaves what was changed or deleted here', async () => {
    const file = put('memory.jsonl', jsonLines([entity('Ada', ['one']), entity('Bob', ['two'])]));
    await take(file);
    const person = { entity_path: 'server-memory/person' };
    await app.call('entries.write', { ...person, key: 'Ada', value: 'corrected' }, { agent_id: 'agent/x' });
    await app.call('entries.delete', { ...person, key: 'Bob' }, { agent_id: 'agent/x' });
    expect(await take(file)).toEqual([0, 0]);
    expect(await app.call('entries.read', { ...person, key: 'Ada' })).toMatchObject({ value: 'corrected' });
    // It changed there: that is news.
    put('memory.jsonl', jsonLines([entity('Ada', ['one', 'three']), entity('Bob', ['two'])]));
    expect(await take(file)).toEqual([1, 0]);
    put('memory.jsonl', jsonLines([entity('Ada', ['one']), entity('Bob', ['two'])]));
    expect(await take(file)).toEqual([1, 0]);
  });

  it('keeps the expiry that an entry is given', async () => {
    const at = { entity_path: 'mem0/users/ada', key: 'm1' };
    const entries = [{ ...at, value: 1, ttl_at: '2099-01-01T00:00:00Z', confidence: 0.4 }];
    await app.call('entries.import', { source: 'mem0', entries } as never);
    expect(await app.call('entries.read', at)).toMatchObject({ ttl_at: '2099-01-01T00:00:00.000Z', confidence: 0.4 });
    const over = app.call('entries.import', {
      source: 'x',
      entries: [{ ...at, value: 2, ttl_at: '2020-01-01T00:00:00Z' }],
    } as never);
    await expect(over).rejects.toThrow('entries.0.ttl_at: must be in the future');
  });
});

describe('a file without --from', () => {
  it('is recognised by what it holds', async () => {
    mkdirSync(join(folder, 'notes'));
    mkdirSync(join(folder, 'm0'));
    await makeMem0History(join(folder, 'm0', 'history.db'));
    await makeClaudeMem(join(folder, 'observations.db'));
    const files: [path: string, found: System[]][] = [
      [put('a.json', { results: [{ id: '1', memory: 'x' }] }), ['mem0']],
      [put('b.json', [{ id: '1', memory: 'x' }]), ['mem0']],
      [put('b.jsonl', jsonLines([{ memory: 'x' }, { memory: 'y' }])), ['mem0']],
      [join(folder, 'm0'), ['mem0']],
      [put('c.jsonl', jsonLines([entity('Ada', []), entity('Bob', [])])), ['server-memory']],
      [put('d.jsonl', jsonLines([entity('Ada', [])])), ['server-memory']],
      [put('e.json', JSON.stringify({ entities: [], relations: [] }, undefined, 2)), ['server-memory']],
      [put('notes/one.md', '# One'), ['basic-memory']],
      [join(folder, 'notes'), ['basic-memory']],
      [join(folder, 'observations.db'), ['claude-mem']],
      [put('f.json', { agents: [], blocks: [] }), ['letta']],
      [put('g.json', { sessions: [] }), ['zep']],
      [put('h.json', [{ uuid: 'u', source_node_uuid: 'v' }]), ['zep']],
      [put('i.json', { some: 'thing' }), []],
      [put('j.txt', 'text'), []],
      [put('k.jsonl', jsonLines([{ record: 'header', format: 'mem-export' }, { record: 'version' }])), []],
    ];
    for (const [path, found] of files) expect([path, await recogniseSystems(path)]).toEqual([path, found]);
  });
});

describe('lines of a file', () => {
  async function* chunks(...texts: string[]) {
    for (const text of texts) yield Buffer.from(text);
  }

  it('are found across chunks, whatever ends them', async () => {
    const found: string[] = [];
    for await (const line of splitLines(chunks('a', 'b\r', '\n\nc\nd', ''))) found.push(line);
    expect(found).toEqual(['ab', '', 'c', 'd']);
  });

  it('that are not UTF-8 are refused by their number', async () => {
    const bytes = Buffer.concat([Buffer.from('a\nü\nb'), Buffer.from([0xff]), Buffer.from('\nc\n')]);
    for (const size of [1, 3, 4, 100]) {
      const read = async () => {
        const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size),
        );
        const lines: string[] = [];
        for await (const line of splitLines(
          (async function* () {
            yield* parts;
          })(),
        ))
          lines.push(line);
        return lines;
      };
      await expect(read()).rejects.toThrow('line 3 is not valid UTF-8');
    }
  });

  it('are refused while they are read, once they are too long', async () => {
    let taken = 0;
    async function* endless() {
      yield Buffer.from('first\n');
      for (;;) {
        taken++;
        yield Buffer.from('x'.repeat(1000));
      }
    }
    const reading = splitLines(endless(), 10_000);
    expect((await reading.next()).value).toBe('first');
    await expect(reading.next()).rejects.toThrow('line 2 is longer than 10000 characters');
    expect(taken).toBe(11);
  });
});

describe('a folder of notes', () => {
  it('gives nothing from outside, and says which links lead there', async () => {
    mkdirSync(join(folder, 'notes'));
    put('private.md', '# Private');
    put('notes/one.md', '# One');
    symlinkSync(join(folder, 'private.md'), join(folder, 'notes', 'out.md'));
    symlinkSync('one.md', join(folder, 'notes', 'again.md'));
    const { entries, notes } = await read('basic-memory', join(folder, 'notes'));
    expect(entries.map(({ key }) => key).sort()).toEqual(['again', 'one']);
    expect(notes).toEqual([expect.stringContaining('out.md is a link out of the folder')]);
  });

  it('leaves out by name what is not UTF-8', async () => {
    mkdirSync(join(folder, 'notes'));
    put('notes/one.md', '# One');
    writeFileSync(join(folder, 'notes', 'old.md'), Buffer.from('Caf\xe9', 'latin1'));
    const { entries, notes } = await read('basic-memory', join(folder, 'notes'));
    expect(entries.map(({ key }) => key)).toEqual(['one']);
    expect(notes).toEqual([expect.stringContaining('old.md is not UTF-8: left out')]);
  });
});
