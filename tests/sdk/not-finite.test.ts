import { createClient } from '@mem-service/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, type StandIn, standIn } from './stand-in.ts';

describe('a number that JSON does not have', () => {
  let server: StandIn;
  beforeEach(async () => {
    server = await standIn(json(200, {}));
  });
  afterEach(() => server.close());
  const client = () => createClient({ url: server.url });
  const at = { entityPath: 'a', key: 'k' };

  const wrong: [path: string, input: object, text: string][] = [
    ['confidence', { value: 1, confidence: Number.NaN }, 'NaN'],
    ['confidence', { value: 1, confidence: Number.POSITIVE_INFINITY }, 'Infinity'],
    ['value', { value: Number.NEGATIVE_INFINITY }, '-Infinity'],
    ['value.scores.1', { value: { scores: [1, Number.NaN], other: null } }, 'NaN'],
  ];
  it.each(wrong)('is an error at %s, and nothing is sent', async (path, input, text) => {
    await expect(client().entries.write({ ...at, value: 0, ...input })).rejects.toMatchObject({
      name: 'MemError',
      code: 'invalid_input',
      message: `${path}: must be a finite number, not ${text}`,
      details: { errors: [{ path }] },
    });
    expect(server.seen).toHaveLength(0);
  });

  it.each([
    ['value', new Map([['a', 1]]), 'Map'],
    ['value.tags', { tags: new Set(['a']) }, 'Set'],
    ['value.0', [() => 1], 'function'],
    ['value.later', { later: Promise.resolve(1) }, 'Promise'],
    ['value.mark', { mark: Symbol('x') }, 'symbol'],
    ['value.count', { count: 10n }, 'bigint'],
  ])('nor anything else that JSON would lose, at %s', async (path, value, kind) => {
    await expect(client().entries.write({ ...at, value: value as never })).rejects.toMatchObject({
      name: 'MemError',
      code: 'invalid_input',
      message: `${path}: must be a value that JSON has, not a ${kind}`,
    });
    expect(server.seen).toHaveLength(0);
  });

  it('an address with a route of the service in it is refused', () => {
    expect(() => createClient({ url: `${server.url}/api/v1/` })).toThrow('url must be given without /api/v1');
    expect(() => createClient({ url: `${server.url}/mcp` })).toThrow('url must be given without /mcp');
  });

  it('is an error in a query and in a session too', async () => {
    await expect(client().entries.list({ limit: Number.NaN })).rejects.toMatchObject({ code: 'invalid_input' });
    const session = client().session();
    await expect(session.setAttributes({ score: Number.NaN })).rejects.toThrow('attributes.score: must be a finite');
    const dated = { seen: new Date(Number.NaN) };
    await expect(client().entries.write({ ...at, value: dated as never })).rejects.toThrow(
      'value.seen: must be a valid',
    );
    expect(server.seen).toHaveLength(0);
  });

  it('is not seen where null was meant', async () => {
    const value = { none: null, at: new Date(0), text: 'null', list: [null] };
    await client().entries.write({ ...at, value: value as never });
    expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({ value: { none: null, list: [null] } });
  });
});
