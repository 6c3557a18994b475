import { Fault, type Operation, type OperationName, operationNames, operations } from '@mem-service/contract';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseInput } from '../../packages/server/src/kernel/parse-input.ts';
import { useServer } from '../support/app.ts';

type AnyInput = Operation['input'];
type LongList = { at: string[]; most: number };

/** The lists of an input that have a greatest length, with the way to them through objects. */
function longLists(schema: AnyInput, at: string[] = []): LongList[] {
  const def = schema._zod.def as unknown as { type: string; innerType?: AnyInput; shape?: Record<string, AnyInput> };
  if (def.innerType) return longLists(def.innerType, at);
  if (def.type === 'object')
    return Object.entries(def.shape ?? {}).flatMap(([name, field]) => longLists(field, [...at, name]));
  const { maxItems } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return def.type === 'array' && maxItems !== undefined ? [{ at, most: maxItems }] : [];
}

const within = ([name, ...rest]: string[], value: unknown): object => ({
  [name as string]: rest.length === 0 ? value : within(rest, value),
});

const lists = operationNames.flatMap((name) =>
  longLists(operations[name].input).map(({ at, most }) => [name, at.join('.'), { at, most }] as const),
);

const errorsOf = async (name: OperationName, input: unknown): Promise<unknown> => {
  try {
    await parseInput(operations[name].input as never, input);
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return error.detail.errors;
  }
};

describe('an input', () => {
  it.each(lists)('of %s with too many %s is refused for that alone', async (name, path, { at, most }) => {
    const input = { ...operations[name].example(0), ...within(at, new Array(most + 1).fill(0)) };
    expect(await errorsOf(name, input)).toEqual([{ path, message: `must not have more than ${most} items` }]);
  });

  it('with very many unknown fields is refused in the same words as one with few, by every operation', async () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, i]));
    for (const name of operationNames) {
      const few = await errorsOf(name, { ...operations[name].example(0), ...fields(3) });
      const many = (await errorsOf(name, { ...operations[name].example(0), ...fields(1000) })) as unknown[];
      expect(many).toHaveLength(100);
      expect(many.slice(0, 3)).toEqual(few);
    }
  });

  const draft = (i: number) => ({ entity_path: `a/${i}`, key: 'k', value: { n: i } });

  it('with many items is parsed as it is with few', async () => {
    const writes = Array.from({ length: 900 }, (_, i) => draft(i));
    const input = { writes, message: 'm' };
    const { input: schema } = operations['commits.create'];
    expect(await parseInput(schema, input)).toEqual(schema.parse(input));
    const report = {
      outcome_ref: 'r',
      outcome_type: 'success',
      session_metadata: { more: 1, llm_calls: [] as object[] },
    };
    for (let i = 0; i < 600; i++) report.session_metadata.llm_calls.push({ model: 'm', input_tokens: i, other: { i } });
    const { input: outcome } = operations['outcomes.commit'];
    expect(await parseInput(outcome, report)).toEqual(outcome.parse(report));
  });

  it('with many items names what is wrong in them, and where', async () => {
    const writes = Array.from({ length: 900 }, (_, i) => draft(i));
    Object.assign(writes[700] as object, { entity_path: 5 });
    Object.assign(writes[800] as object, { confidence: 3, other: 1 });
    expect(await errorsOf('commits.create', { writes, massage: 'm' })).toEqual([
      { path: 'writes.700.entity_path', message: 'must be text, not a number' },
      { path: 'writes.800.confidence', message: 'must be at most 1' },
      { path: 'writes.800.other', message: 'is not a known field' },
      { path: 'massage', message: 'is not a known field. Did you mean message?' },
    ]);
  });
});

describe('a body', () => {
  const server = useServer('sqlite');

  const post = async (path: string, body: string) => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body,
    });
    return { status: response.status, problem: (await response.json()) as Record<string, unknown> };
  };

  const members = (count: number) => `{"value":{${Array.from({ length: count }, (_, i) => `"${i}":1`).join()}}}`;
  const values = (count: number) => `{"value":[${new Array(count).fill(1).join()}]}`;
  const crowded = [
    ['members', { '/api/v1/entries': 50_000, '/v1/traces': 350_000 }, members],
    ['values', { '/api/v1/entries': 250_000, '/v1/traces': 500_000 }, values],
  ] as const;

  it.each(crowded)('with too many %s is refused with the limit, whatever it is for', async (what, limits, bodyOf) => {
    for (const [path, most] of Object.entries(limits)) {
      const { status, problem } = await post(path, bodyOf(most + 2));
      expect(status).toBe(413);
      expect(problem).toMatchObject({
        code: 'body_too_large',
        detail: `the body has more than ${most} ${what}; send it in parts`,
        [`max_${what}`]: most,
      });
    }
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mem_write","arguments":${bodyOf(limits['/api/v1/entries'])}}}`;
    expect((await post('/mcp', message)).status).toBe(413);
    expect(await server.app.call('log.list', {})).toMatchObject({ events: [] });
  });

  it('that is large is read in turns with other requests', async () => {
    const large = JSON.stringify({ entity_path: 'a', key: 'k', value: { list: new Array(200_000).fill(1) } });
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const { status } = await post('/api/v1/entries', large);
    isDone = true;
    expect(status).toBe(201);
    expect(turns).toBeGreaterThan(5);
  });

  it('that is large keeps its value exactly, and is refused where it is no JSON', async () => {
    const value = `{"n": 12345678901234567890, "t": "${'é'.repeat(50_000)}", "z": 1.0}`;
    expect((await post('/api/v1/entries', `{"entity_path":"a","key":"exact","value":${value}}`)).status).toBe(201);
    const read = await (await fetch(`${server.url}/api/v1/entries/a/exact`)).text();
    expect(read).toContain(`"value":${value}`);
    const { status, problem } = await post(
      '/api/v1/entries',
      `{"entity_path":"a","key":"k","value":[${'1,'.repeat(50_000)}]}`,
    );
    expect([status, problem.code]).toEqual([400, 'invalid_json']);
  });
});
