import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './support.ts';

describe('what goes in and comes out', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk.remove());

  const storedAt = async (key: string) => /"value":(.*),"memory_type"/s.exec((await read(key)).out)?.[1];
  const read = (key: string) => desk.inProcess(['read', 'in', key, '--json']);

  it.concurrent.each([
    ['json', '{"b": 1.0, "a": 12345678901234567890}', '{"b": 1.0, "a": 12345678901234567890}'],
    ['number', '-5', '-5'],
    ['text', 'hello world', '"hello world"'],
    ['quoted', '"true"', '"true"'],
    ['empty', '', '""'],
  ])('%s: %j is kept as %s', async (key, given, kept) => {
    const write = key === 'json' ? desk.mem : desk.inProcess;
    expect((await write(['write', 'in', key, given])).code).toBe(0);
    expect(await storedAt(key)).toBe(kept);
  });

  it.concurrent.each([
    ['piped-json', '\ufeff  [1.0,\n 2]\n', '[1.0,\n 2]'],
    ['piped-text', 'two\nlines\n', String.raw`"two\nlines"`],
    ['piped-large', 'x'.repeat(300_000), `"${'x'.repeat(300_000)}"`],
  ])('%s comes from standard input', async (key, input, kept) => {
    const dash = key === 'piped-text' ? ['-'] : [];
    const write = key === 'piped-json' ? desk.inProcess : desk.mem;
    expect((await write(['write', 'in', key, ...dash], { input })).code).toBe(0);
    expect(await storedAt(key)).toBe(kept);
  });

  it.concurrent.each(['{"a": 1', '[1, 2', '{a: 1}', '  [draft] ask for access', '{"a": 1,}'])(
    '%j begins like JSON and is refused; with --text it is written as it is',
    async (given) => {
      const key = `broken-${Buffer.from(given).toString('hex')}`;
      const refused = await desk.inProcess(['write', 'in', key, given]);
      expect(refused).toMatchObject({ code: 2, out: '' });
      expect(refused.err).toMatch(/^mem: value begins like JSON, but is not \(.+\): mend it, or add --text/);
      expect((await desk.inProcess(['read', 'in', key])).code).toBe(3);
      expect((await desk.inProcess(['write', 'in', key, given, '--text'])).code).toBe(0);
      expect(await storedAt(key)).toBe(JSON.stringify(given));
    },
  );

  it('broken JSON from standard input is refused too, and --text takes even JSON as text', async () => {
    const refused = await desk.inProcess(['write', 'in', 'broken'], { input: '{"a":\n' });
    expect(refused.code).toBe(2);
    expect((await desk.inProcess(['write', 'in', 'as-text', '5', '--text'])).code).toBe(0);
    expect(await storedAt('as-text')).toBe('"5"');
  });

  it('bytes that are no text are refused', async () => {
    const { code, err } = await desk.mem(['write', 'in', 'bytes'], { input: Buffer.from([0x61, 0xff]) });
    expect({ code, err }).toEqual({ code: 2, err: 'mem: standard input is not valid UTF-8\n' });
  });

  it('a commit is read from a file, a list or an object, with exact values; flags win', async () => {
    const writes = '[{"entity_path":"in","key":"c1","value":1.50},{"entity_path":"in","key":"c2","value":"x"}]';
    writeFileSync(join(desk.folder, 'list.json'), writes);
    writeFileSync(
      join(desk.folder, 'object.json'),
      `{"message":"from the file","writes":${writes.replace('1.50', '2.50')}}`,
    );
    const first = await desk.mem(['commit', 'list.json', '--message', 'm', '--json']);
    expect(JSON.parse(first.out)).toMatchObject({ entries_written: 2, message: 'm' });
    expect(await storedAt('c1')).toBe('1.50');
    const second = await desk.inProcess(['commit', join(desk.folder, 'object.json'), '--json']);
    expect(JSON.parse(second.out)).toMatchObject({ entries_written: 1, message: 'from the file' });
    const third = await desk.inProcess(['commit', '--message', 'by flag', '--json'], {
      input: '{"message":"lost","writes":[{"entity_path":"in","key":"c1","value":3.50}]}',
    });
    expect(JSON.parse(third.out)).toMatchObject({ message: 'by flag' });
    expect(await storedAt('c1')).toBe('3.50');
  });

  it('flags reach the operation in their types, and the agent and session are noted', async () => {
    const flags = ['--confidence=0.25', '--memory-type', 'belief', '--pattern-refs', 'p,q', '--pattern-refs', 'r'];
    const refs = ['--artifact-refs', '[{"uri":"s3://bucket/file"}]', '--no-shared', '--ttl-seconds', '3600'];
    const who = ['--agent', 'агент', '--session', 's1'];
    const { out } = await desk.inProcess(['write', 'in', 'flags', '1', ...flags, ...refs, ...who, '--json']);
    expect(JSON.parse(out)).toMatchObject({
      confidence: 0.25,
      memory_type: 'belief',
      shared: false,
      artifact_refs: [{ uri: 's3://bucket/file' }],
      provenance: { agent_id: 'агент', session_id: 's1', pattern_refs: ['p', 'q', 'r'] },
    });
    expect((await read('flags')).code).toBe(3);
    expect((await desk.inProcess(['read', 'in', 'flags'], { env: { MEM_AGENT_ID: 'агент' } })).code).toBe(0);
  });

  it('a field that is an object takes a JSON object, and nothing else', async () => {
    const set = ['sessions.set_attributes', '{"team":"payments","try":2}', '--session', 'objects'];
    expect(await desk.inProcess(set)).toMatchObject({ code: 0, out: expect.stringContaining('team=payments, try=2') });
    const piped = await desk.inProcess(['sessions.set_attributes', '--session', 'objects', '--json'], {
      input: '{"try":3}',
    });
    expect(JSON.parse(piped.out)).toMatchObject({ attributes: { team: 'payments', try: 3 } });
    const metadata = ['--session-metadata', '{"model":"m","nested":{"a":[1]}}', '--attributes', '{"x":true}'];
    const done = await desk.inProcess(['outcome', 'objects', 'success', ...metadata, '--session', 'objects', '--json']);
    const { trace_id } = JSON.parse(done.out);
    const { session_metadata } = JSON.parse((await desk.inProcess(['trace', trace_id, '--json'])).out);
    expect(session_metadata).toMatchObject({ model: 'm', nested: { a: [1] }, attributes: { try: 3, x: true } });
    for (const wrong of ['[1]', 'text', '1', 'null']) {
      const { code, err } = await desk.inProcess(['sessions.set_attributes', wrong]);
      expect({ code, err }).toEqual({
        code: 2,
        err: 'mem: attributes must be a JSON object such as {"name":"value"}\n',
      });
    }
  });

  it('null is nothing where a field may be null and the text is not one of its values', async () => {
    const definition = '{"kind":"code","checks":[{"check":"outcome","in":["success"]}]}';
    await desk.inProcess(['judges', 'create', 'went-well', '--definition', definition]);
    const done = await desk.inProcess(['outcome', 'judged', 'success', '--session', 'judged', '--json']);
    const { trace_id } = JSON.parse(done.out) as { trace_id: string };
    await desk.inProcess(['eval', 'judge', trace_id, 'went-well']);
    const result = async () => {
      const { out } = await desk.inProcess(['show-verdict', `${trace_id}.went-well.1`, '--json']);
      return (JSON.parse(out) as { result: string }).result;
    };
    const overrule = (...word: string[]) => desk.inProcess(['eval', 'overrule', trace_id, 'went-well', ...word]);
    for (const back of [['null'], ['--result', 'null']]) {
      expect(await overrule('fail')).toMatchObject({ code: 0, err: '' });
      expect(await result()).toBe('fail');
      expect(await overrule(...back)).toMatchObject({ code: 0, err: '' });
      expect(await result()).toBe('pass');
    }
    expect((await overrule('no')).err).toBe('mem: result must be one of pass, fail, null, not "no"\n');
    expect((await overrule('--help')).out).toMatch(/result +One of pass, fail, null\./);
    await desk.inProcess(['set-budget', '--day-calls', '5', '--month-calls', '9']);
    const budget = await desk.inProcess(['set-budget', '--day-calls', 'null', '--json']);
    expect(JSON.parse(budget.out)).toMatchObject({ day: { max_calls: null }, month: { max_calls: 9 } });
    const profile = await desk.inProcess(['set-profile', 'agent/null', '--description', 'null', '--json']);
    expect(JSON.parse(profile.out)).toMatchObject({ description: 'null' });
    expect((await desk.inProcess(['write', 'in', 'null-confidence', '1', '--confidence', 'null'])).code).toBe(2);
  });

  it('causes are given by name, as a list of names or as JSON', async () => {
    for (const key of ['x', 'y']) await desk.inProcess(['write', 'in/causes', key, '1', '--confidence', '0.5']);
    const given = [
      ['in/causes/x'],
      ['in/causes/x,in/causes/y'],
      ['in/causes/x', '--causal-entry-keys', 'in/causes/y'],
      ['{"entity_path":"in/causes","key":"x"}'],
      ['[{"entity_path":"in/causes","key":"x"},"in/causes/y"]'],
    ];
    for (const [at, keys] of given.entries()) {
      const run = await desk.inProcess([
        'outcome',
        `causes-${at}`,
        'success',
        '--causal-entry-keys',
        ...keys,
        '--json',
      ]);
      const moved = (JSON.parse(run.out).entries as { key: string }[]).map(({ key }) => key).sort();
      expect(moved).toEqual(keys.join().includes('y') && at !== 3 ? ['x', 'y'] : ['x']);
    }
  });

  it('pages are followed with --all, exactly; without it the rest is announced', async () => {
    const writes = Array.from({ length: 5 }, (_, i) => `{"entity_path":"pages","key":"k${i}","value":${i}.0}`);
    await desk.inProcess(['commit'], { input: `[${writes.join(',')}]` });
    const { out } = await desk.inProcess(['list', 'pages', '--limit', '2', '--all', '--json']);
    expect(JSON.parse(out)).toMatchObject({ has_more: false, next_cursor: null });
    expect([...out.matchAll(/"value":([\d.]+)/g)].map(([, value]) => value)).toEqual([
      '0.0',
      '1.0',
      '2.0',
      '3.0',
      '4.0',
    ]);
    const page = await desk.inProcess(['list', 'pages', '--limit', '2']);
    expect(page.out.trim().split('\n')).toHaveLength(3);
    expect(page.err).toMatch(/^there is more: add --all, or --cursor \S+\n$/);
    const cursor = /--cursor (\S+)/.exec(page.err)?.[1] as string;
    expect((await desk.inProcess(['list', 'pages', '--cursor', cursor])).out).toContain('k2');
    const all = JSON.parse((await desk.inProcess(['log.list', '--all', '--limit', '2', '--json'])).out) as {
      events: unknown[];
    };
    expect(all.events.length).toBeGreaterThan(5);
  });

  it('an empty list says so and prints nothing', async () => {
    expect(await desk.inProcess(['list', 'nothing/here'])).toEqual({ code: 0, out: '', err: 'no entries\n' });
  });

  it('an export for training without examples says so', async () => {
    const none = ['export-training', '--agent-id', 'agent/nobody'];
    expect(await desk.inProcess(none)).toEqual({ code: 0, out: '', err: '0 examples\n' });
    const file = join(desk.folder, 'none.jsonl');
    expect((await desk.inProcess([...none, '--out', file])).err).toBe(`exported 0 examples to ${file}\n`);
  });

  it('the reader of the output may stop early', async () => {
    await desk.inProcess(['write', 'in', 'long'], { input: 'y'.repeat(1_000_000) });
    const { out, err } = await desk.bash('set -o pipefail; mem read in long | head -c 7; echo " $?"');
    expect({ out, err }).toEqual({ out: 'in long 0\n', err: '' });
  });
});
