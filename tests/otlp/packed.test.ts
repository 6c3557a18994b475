import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { useServer } from '../support/app.ts';
import { chat, exportOf, otelSpan } from './support.ts';

describe('a body in gzip', () => {
  const server = useServer('sqlite');

  const post = async (body: Uint8Array) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const response = await fetch(`${server.url}/v1/traces`, { method: 'POST', headers, body });
    return { status: response.status, headers: response.headers, json: await response.json() };
  };
  const empties = (count: number) => gzipSync(`{"resourceSpans":[${new Array(count).fill('{}').join()}]}`);

  it('that unpacks to very many objects is refused before they are built', async () => {
    const { status, json } = await post(empties(1_300_000));
    expect(status).toBe(413);
    expect(json).toMatchObject({ code: 'body_too_large', max_values: 500_000 });
  });

  it('that unpacks to more than half of the largest body is refused with the limit', async () => {
    const { status, json } = await post(gzipSync(Buffer.alloc(4 * 1024 * 1024 + 1, 32)));
    expect([status, json]).toEqual([413, expect.objectContaining({ max_unpacked_bytes: 4 * 1024 * 1024 })]);
  });

  it('that holds more lists than the operation takes is refused by the name of the list', async () => {
    const { status, json } = await post(empties(1001));
    expect(status).toBe(422);
    expect(json).toMatchObject({ errors: [{ path: 'resourceSpans', message: 'must not have more than 1000 items' }] });
  });

  it('waits for those of its account, and is told to come back where too many wait', async () => {
    const spans = Array.from({ length: 300 }, () => otelSpan({ attributes: chat({}) }));
    const body = gzipSync(JSON.stringify(exportOf(spans)));
    const answers = await Promise.all(Array.from({ length: 40 }, () => post(body)));
    const refused = answers.filter(({ status }) => status === 503);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
    for (const { headers, json } of refused) {
      expect(headers.get('retry-after')).toBe('1');
      expect(json).toMatchObject({ detail: 'too many packed bodies are waiting' });
    }
  });
});
