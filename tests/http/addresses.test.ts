import { describe, expect, it } from 'vitest';
import { backends, beforeStore, useServer } from '../support/app.ts';
import { send } from '../support/wire.ts';

/** Letters that do not repeat, so that no index can make them shorter. */
function scatter(first: number, count: number): string {
  let seed = count;
  return Array.from({ length: count }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return String.fromCodePoint(first + ((seed >> 8) % 20_000));
  }).join('');
}

describe.each(backends)('the address of an entry on %s', (backend) => {
  const server = useServer(backend);
  const get = (path: string) => send(server.url, { method: 'GET', path });
  const write = (entity_path: string, key: string, value: unknown) =>
    send(server.url, { method: 'POST', path: '/api/v1/entries', body: JSON.stringify({ entity_path, key, value }) });

  const longPath = Array.from({ length: 64 }, (_, i) => `${'日本語中文字'.charAt(i % 6)}段落です今`)
    .join('/')
    .slice(0, 512);

  it.each([
    ['a plain one', 'svc/pay', 'retry'],
    ['a path of one segment', 'svc', 'retry'],
    ['a key called history', 'svc/pay', 'history'],
    ['a key called history below one segment', 'svc', 'history'],
    ['a path that ends in history', 'svc/history', 'retry'],
    ['a path and a key called history', 'history', 'history'],
    ['a key with a slash', 'svc/pay', 'a/b'],
    ['a key that looks like a path with history', 'svc/pay', 'a/history'],
    ['a key with %2F in its own text', 'svc/pay', 'a%2Fb'],
    ['a key with a question mark and an ampersand', 'svc/pay', 'a?b&c=d#e'],
    ['a key with a plus, a space and a percent', 'svc/pay', '1 + 1 = 100%'],
    ['spaces in the path', 'my svc/the pay', 'a key'],
    ['other scripts', 'служба/支付', 'clé-ключ-キー'],
    ['an emoji', 'svc/🚀', '🔑'],
    ['a colon, a comma, a semicolon', 'a:b/c,d', 'e;f@g'],
    ['dots that are not dots alone', '.hidden/...', 'a..b'],
    ['a key with a backslash and quotes', 'svc', '\\"\''],
    ['the longest path and key', longPath, '鍵'.repeat(256)],
    ['the longest of a script in three bytes', scatter(0x4e00, 512), scatter(0x4e00, 256)],
    ['the longest of a script in four bytes', scatter(0x20000, 384), scatter(0x20000, 192)],
    ['names of the language', '__proto__/constructor', 'toString'],
  ])('%s is read where its Location says', async (_, entity_path, key) => {
    const made = await write(entity_path, key, { at: [entity_path, key] });
    expect(made.status, made.text).toBe(201);
    const location = made.headers.get('location') as string;
    const read = await get(location);
    expect(read.status, location).toBe(200);
    expect(read.json).toMatchObject({ entity_path, key, value: { at: [entity_path, key] } });
    expect(read.json.version).toBe(made.json.version);
    const query = new URLSearchParams({ entity_path, key });
    expect((await get(`/api/v1/entry?${query}`)).json).toMatchObject({ entity_path, key });
    expect((await get(`/api/v1/history?${query}`)).json).toMatchObject({ entity_path, key, version_count: 1 });
    const removed = await send(server.url, { method: 'DELETE', path: `/api/v1/entry?${query}` });
    expect(removed.json).toMatchObject({ entity_path, key, deleted: true });
  });

  it('the last segment is the key, and what comes before it the path', async () => {
    await write('deep/er/still', 'k', 1);
    for (const path of ['deep/er/still/k', 'deep%2Fer/still/k', 'deep%2Fer%2Fstill/k', 'deep%2fer/still/%6b'])
      expect((await get(`/api/v1/entries/${path}`)).json).toMatchObject({ entity_path: 'deep/er/still', key: 'k' });
  });

  it('/history after a path and a key is their history; after a path alone it is a key', async () => {
    await write('a', 'history', 'a key of that name');
    await write('a', 'b', 'an entry');
    expect((await get('/api/v1/entries/a/history')).json).toMatchObject({ value: 'a key of that name' });
    expect((await get('/api/v1/entries/a/b/history')).json).toMatchObject({ key: 'b', version_count: 1 });
    expect((await get('/api/v1/history/a/b')).json).toMatchObject({ key: 'b', version_count: 1 });
    expect((await get('/api/v1/entries/a/history/history')).json).toMatchObject({ key: 'history', version_count: 1 });
  });

  it('takes one form of text for all that look alike', async () => {
    await write('caf\u00e9', 'cl\u00e9', 1);
    expect(
      (await get(`/api/v1/entries/${encodeURIComponent('cafe\u0301')}/${encodeURIComponent('cle\u0301')}`)).status,
    ).toBe(200);
  });

  beforeStore(backend, () => {
    it.each([
      'a//b/c',
      '/b',
      'a/../b/%2e%2e',
      'a/%2e%2e',
      '%2e%2e/b',
      '*/b',
      'a/**/b',
      'a%00/b',
      'a/b%0a',
      `${'a'.repeat(513)}/b`,
      `a/${'b'.repeat(257)}`,
      `${encodeURIComponent('\u{20000}'.repeat(385))}/b`,
      `a/${encodeURIComponent('\u{20000}'.repeat(193))}`,
    ])('/api/v1/entries/%s is refused', async (path) => {
      const { hostname, port } = new URL(server.url);
      const { request } = await import('node:http');
      // Sent over a socket: fetch would normalise it.
      const status = await new Promise((resolve, reject) => {
        request({ hostname, port, path: `/api/v1/entries/${path}` }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on('error', reject)
          .end();
      });
      expect(status).toBe(422);
    });

    it('that is not UTF-8 is refused as such', async () => {
      for (const path of [
        '/api/v1/entries/%FF/k',
        '/api/v1/entries/a/%E0%A4',
        '/api/v1/entries/%',
        '/api/v1/commits/%FF',
      ]) {
        const { status, json } = await get(path);
        expect({ status, code: json.code, errors: json.errors }).toEqual({
          status: 422,
          code: 'invalid_input',
          errors: [{ path: 'url', message: 'is not valid percent-encoded UTF-8' }],
        });
      }
    });
  });

  it('may name its fields in snake_case or camelCase, but not in both', async () => {
    await write('camel/case', 'k', 1);
    const read = await get('/api/v1/entry?entityPath=camel%2Fcase&key=k');
    expect(read.json).toMatchObject({ entity_path: 'camel/case' });
    const list = await get(
      '/api/v1/entries?entityPath=camel/**&agentId=mem-http-server&minConfidence=0.5&memoryType=fact',
    );
    expect(list.json.entries).toHaveLength(1);
    const both = await get('/api/v1/entry?entityPath=camel%2Fcase&entity_path=camel%2Fcase&key=k');
    expect(both.json).toMatchObject({ status: 422, errors: [{ path: 'entity_path', message: 'is given twice' }] });
    const inPath = await get('/api/v1/entries/camel/case/k?key=other');
    expect(inPath.json).toMatchObject({ status: 422, errors: [{ path: 'key', message: 'is given twice' }] });
    const inBody = await send(server.url, {
      method: 'DELETE',
      path: '/api/v1/entries/camel/case/k',
      body: '{"key":"k"}',
    });
    expect(inBody.json).toMatchObject({ status: 422, errors: [{ path: 'key', message: 'is given twice' }] });
  });

  it('takes a search by query string as well as by body', async () => {
    await write('found/here', 'k', 'a needle in it');
    const byQuery = await get('/api/v1/search?query=needle&entity_path=found/here&min_confidence=0.1&limit=5');
    const byBody = await send(server.url, { method: 'POST', path: '/api/v1/search', body: '{"query":"needle"}' });
    const byBoth = await send(server.url, {
      method: 'POST',
      path: '/api/v1/search?limit=1',
      body: '{"query":"needle"}',
    });
    for (const { status, json } of [byQuery, byBody, byBoth]) {
      expect(status).toBe(200);
      expect(json.entries).toMatchObject([{ entity_path: 'found/here' }]);
    }
    const twice = await send(server.url, {
      method: 'POST',
      path: '/api/v1/search?query=x',
      body: '{"query":"needle"}',
    });
    expect(twice.json).toMatchObject({ status: 422, errors: [{ path: 'query', message: 'is given twice' }] });
  });

  beforeStore(backend, () => {
    it.each([
      ['limit=abc', 'limit'],
      ['limit=', 'limit'],
      ['limit=0', 'limit'],
      ['limit=1e999', 'limit'],
      ['limit=0x10', 'limit'],
      ['min_confidence=1.5', 'min_confidence'],
      ['min_confidence=NaN', 'min_confidence'],
      ['since=yesterday', 'since'],
      ['since=2026-01-32', 'since'],
      ['sort=sideways', 'sort'],
      ['__proto__=x', '__proto__'],
      ['entity_path=a*', 'entity_path'],
    ])('with ?%s is refused by name', async (query, path) => {
      const { status, json } = await get(`/api/v1/entries?${query}`);
      expect(status).toBe(422);
      expect(json.errors).toEqual([expect.objectContaining({ path })]);
    });
  });
});
