import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExamples, fieldsOf, type KnownIds, markedInput } from '../contract/table.ts';
import { backends, beforeStore, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import {
  addresses,
  type HttpAnswer,
  type HttpRequest,
  labelled,
  type OperationAddress,
  requestFor,
  send,
  takesBody,
} from '../support/wire.ts';

/** More by hand, now and then: FUZZ_RUNS=1000. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 20);
const MARK = 'fuzz';

/** Text of all kinds, and what has broken other services. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '*',
    '**',
    'a/**',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '__proto__',
    "'; DROP TABLE entries; --",
    '" OR 1=1 --',
    '"unclosed phrase',
    'NEAR(a b)',
    'a* b* c*',
    '-',
    '(',
    'AND OR NOT',
    '{"$gt":""}',
    '../../etc/passwd',
    '%00',
    'x'.repeat(600),
    '漢'.repeat(300),
    '2026-02-30T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999+14:00',
    Buffer.from('["entries.list path","a","b"]').toString('base64url'),
    Buffer.from('["entries.search",9007199254740991]').toString('base64url'),
    Buffer.from('["entries.verify","a","b",1]').toString('base64url'),
    Buffer.from('["entries.history",0]').toString('base64url'),
  ),
);

const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 0.5, 1e-320, 1e308, 2 ** 31, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e21),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

const anything = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom([], {}, [[]], { a: { b: [1, null] } }),
  fc.array(text, { maxLength: 4 }),
  fc.jsonValue({ maxDepth: 3 }),
);

describe.each(backends)('whatever is sent, on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  let known: KnownIds;
  beforeAll(async () => {
    app = await openTestApp(backend);
    server = await listen(app, { maxBodyBytes: 100_000 });
    known = await createExamples(app, { mark: MARK, as: { agent_id: 'mem-http-server' } });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  function expectCivil({ status, text: body, json, headers }: HttpAnswer, sent: HttpRequest): void {
    expect(status, JSON.stringify({ sent, body })).toBeLessThan(500);
    expect(body).not.toMatch(/\bat .+\.(ts|js|mjs):\d+/);
    if (status >= 400) {
      expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(json).toMatchObject({ status, code: expect.any(String), detail: expect.any(String) });
    }
  }

  const sendCivilly = async (sent: HttpRequest) => expectCivil(await send(server.url, sent), sent);

  /** An example with some of its fields replaced, and some that do not belong. */
  const spoilt = ({ name }: OperationAddress) => {
    const names = Object.keys(fieldsOf(name));
    const field = fc.oneof(...(names.length === 0 ? [] : [{ weight: 8, arbitrary: fc.constantFrom(...names) }]), {
      weight: 1,
      arbitrary: text,
    });
    return fc
      .array(fc.tuple(field, anything), { minLength: 1, maxLength: 3 })
      .map((changes) => ({ ...markedInput(name, MARK, known), ...Object.fromEntries(changes) }));
  };

  it.each(labelled(addresses))('%s answers a spoilt input without failing', async (_, address) => {
    await fc.assert(
      fc.asyncProperty(spoilt(address), (input) => sendCivilly(requestFor(address, input))),
      { numRuns: RUNS },
    );
  });

  beforeStore(backend, () => {
    it.each(labelled(addresses.filter(({ route }) => takesBody(route))))(
      '%s answers any body without failing',
      async (_, { route }) => {
        const body = fc.oneof(
          fc.json(),
          text,
          fc.json().map((json) => json.slice(1)),
        );
        await fc.assert(
          fc.asyncProperty(body, (one) => sendCivilly({ method: route.method, path: route.path, body: one })),
          { numRuns: RUNS },
        );
      },
    );
  });

  it('any address and any query is answered without failing', async () => {
    const path = fc.array(fc.oneof(text, fc.constantFrom('api', 'v1', 'entries', 'history', 'commits', 'docs')), {
      maxLength: 6,
    });
    const query = fc.array(fc.tuple(fc.oneof(text, fc.constantFrom('branch', 'limit', 'key', 'cursor')), text), {
      maxLength: 3,
    });
    const method = fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS');
    await fc.assert(
      fc.asyncProperty(path, query, method, async (parts, pairs, verb) => {
        const address = parts.filter((part) => part.isWellFormed()).map(encodeURIComponent);
        const search = new URLSearchParams(pairs).toString();
        const sent = { method: verb, path: `/${address.join('/')}?${search}` };
        const { status } = await send(server.url, sent);
        expect(status, JSON.stringify(sent)).toBeLessThan(500);
      }),
      { numRuns: RUNS * 5 },
    );
  });

  it('the store is sound after all of it', async () => {
    const { corrupted, chain_breaks } = await app.call('entries.verify', { entity_path: '*', limit: 100_000 });
    expect({ corrupted, chain_breaks }).toEqual({ corrupted: [], chain_breaks: [] });
  });
});
