import { describe, expect, it } from 'vitest';
import { backends, beforeStore, useServer } from '../support/app.ts';
import { send } from '../support/wire.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe.each(backends)('JSON over the wire on %s', (backend) => {
  const server = useServer(backend);

  let count = 0;
  async function write(value: string, fields = '') {
    const key = `k${++count}`;
    const body = `{"entity_path":"json","key":"${key}","value":${value}${fields}}`;
    return { key, ...(await send(server.url, { method: 'POST', path: '/api/v1/entries', body })) };
  }
  const read = (path: string) => send(server.url, { method: 'GET', path });
  const valueIn = (text: string) => text.slice(text.indexOf('"value":') + 8, text.indexOf(',"memory_type":'));

  it.each([
    ['a whole number larger than a double holds', '12345678901234567890'],
    ['a number beyond all doubles', '1e400'],
    ['a number below all doubles', '1e-400'],
    ['a one with a point', '1.0'],
    ['a minus zero', '-0'],
    ['an exponent written large', '1E+2'],
    ['many decimals', '0.1000000000000000055511151231257827'],
    ['half a pair as an escape', '"\\ud800"'],
    ['a NUL as an escape', '"\\u0000"'],
    ['escapes that need not be', '"\\u0041\\/\\u00e9"'],
    ['letters as they are', '"naïve — ✓ 日本 🚀"'],
    ['line separators', '"\u2028\u2029"'],
    ['__proto__ as a name', '{"__proto__":{"polluted":true},"a":1}'],
    ['constructor as a name', '{"constructor":{"prototype":{"polluted":true}}}'],
    ['one name twice', '{"a":1,"a":2}'],
    ['an empty name', '{"":{"":""}}'],
    ['numbers as names, out of order', '{"2":1,"1":2,"b":3,"a":4}'],
    ['spaces between', '{ "a" : [ 1 ,\n\t2 ] }'],
    ['nothing', 'null'],
    ['false', 'false'],
    ['an empty text', '""'],
    ['an empty list', '[]'],
    ['what looks like SQL', '"\'; DROP TABLE entries; --"'],
    ['what looks like a place in a statement', '"? $1 :name %s"'],
    ['a very long number', '9'.repeat(5000)],
    ['128 levels', nested(128)],
  ])('%s comes back byte for byte', async (_, value) => {
    const made = await write(value);
    expect(made.status, made.text).toBe(201);
    expect(valueIn(made.text)).toBe(value);
    const paths = [
      `/api/v1/entries/json/${made.key}`,
      `/api/v1/entries/json/${made.key}?version=1`,
      `/api/v1/entries/json/${made.key}/history`,
      `/api/v1/entries?entity_path=json&sort=recent&limit=1`,
    ];
    for (const path of paths) expect(valueIn((await read(path)).text)).toBe(value);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    const again = await send(server.url, {
      method: 'POST',
      path: '/api/v1/entries',
      body: `{"entity_path":"json","key":"${made.key}","value":${value}}`,
    });
    expect(again.json).toMatchObject({ version: 1, unchanged: true });
    const verified = await send(server.url, { method: 'POST', path: '/api/v1/verify', body: '{"entity_path":"json"}' });
    expect(verified.json).toMatchObject({ corrupted: [], chain_breaks: [] });
  });

  it('in a commit comes back byte for byte', async () => {
    const body =
      '{"writes":[{"entity_path":"json/c","key":"a","value":1.0},{"entity_path":"json/c","key":"b","value":{"b":1e400}}]}';
    expect((await send(server.url, { method: 'POST', path: '/api/v1/commits', body })).status).toBe(201);
    expect(valueIn((await read('/api/v1/entries/json/c/a')).text)).toBe('1.0');
    expect(valueIn((await read('/api/v1/entries/json/c/b')).text)).toBe('{"b":1e400}');
  });

  it('of two members with one name the last counts, as every parser has it', async () => {
    const body = '{"entity_path":"json","key":"first","key":"last","value":1,"value":2.0}';
    const { json, text } = await send(server.url, { method: 'POST', path: '/api/v1/entries', body });
    expect(json).toMatchObject({ key: 'last' });
    expect(valueIn(text)).toBe('2.0');
  });

  beforeStore(backend, () => {
    it('deeper than 128 levels is refused, however deep', async () => {
      const { status, json } = await write(nested(129));
      expect({ status, errors: json.errors }).toEqual({
        status: 422,
        errors: [{ path: 'value', message: 'is nested deeper than 128 levels' }],
      });
      for (const body of [nested(100_000), '{"a":'.repeat(100_000), `{"value":${nested(50_000)}}`]) {
        const answer = await send(server.url, { method: 'POST', path: '/api/v1/entries', body });
        expect(answer.status).toBe(422);
        expect(answer.json.code).toBe('invalid_input');
      }
    });

    it('a field named like a JavaScript property is an unknown field', async () => {
      for (const name of ['__proto__', 'constructor', 'hasOwnProperty']) {
        const { status, json } = await write('1', `,"${name}":{"confidence":0.1}`);
        expect({ status, errors: json.errors }).toEqual({
          status: 422,
          errors: [{ path: name, message: 'is not a known field' }],
        });
      }
    });

    it('a misspelt field is refused with the nearest name, at any depth and in the query', async () => {
      const messages = async (answer: Promise<{ json: { errors?: unknown } }>) => (await answer).json.errors;
      expect(await messages(write('1', ',"confidense":0.1'))).toEqual([
        { path: 'confidense', message: 'is not a known field. Did you mean confidence?' },
      ]);
      const body = '{"writes":[{"entity_path":"json","key":"k","value":1,"memorytype":"fact"}]}';
      expect(await messages(send(server.url, { method: 'POST', path: '/api/v1/commits', body }))).toEqual([
        { path: 'writes.0.memorytype', message: 'is not a known field. Did you mean memory_type?' },
      ]);
      expect(await messages(send(server.url, { method: 'GET', path: '/api/v1/entries?limt=1' }))).toEqual([
        { path: 'limt', message: 'is not a known field. Did you mean limit?' },
      ]);
      const long = 'confidence'.repeat(10_000);
      expect(await messages(write('1', `,"${long}":1`))).toEqual([{ path: long, message: 'is not a known field' }]);
    });

    it('that is not UTF-8 is refused as unreadable', async () => {
      for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
        const body = Buffer.concat([
          Buffer.from('{"entity_path":"json","key":"x","value":"'),
          Buffer.from(bytes),
          Buffer.from('"}'),
        ]);
        const answer = await fetch(`${server.url}/api/v1/entries`, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
        });
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ code: 'invalid_json' });
      }
    });

    it('half a pair in a name is refused, not replaced', async () => {
      const body = '{"entity_path":"json/\\ud800","key":"k","value":1}';
      const { status, json } = await send(server.url, { method: 'POST', path: '/api/v1/entries', body });
      expect(status).toBe(422);
      expect(json.errors).toEqual([{ path: 'entity_path', message: 'must be well-formed Unicode' }]);
    });

    it('with a thousand unknown fields is refused in an answer of bearable size', async () => {
      const fields = Array.from({ length: 5000 }, (_, i) => `,"stranger${i}":1`).join('');
      const { status, text } = await write('1', fields);
      expect(status).toBe(422);
      expect(text.length).toBeLessThan(20_000);
    });
  });

  it('is taken under every name of its type', async () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/vnd.api+json',
    ]) {
      const body = `{"entity_path":"json/t","key":"k","value":"${type}"}`;
      const headers = { 'content-type': type };
      expect((await send(server.url, { method: 'POST', path: '/api/v1/entries', body, headers })).status).toBe(201);
    }
  });
});
