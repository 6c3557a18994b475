import { type OperationName, operationNames, operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorsOf } from '../../packages/server/src/http/openapi/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { expectDeclared, openObjects } from '../support/declared.ts';
import {
  createExamples,
  definition,
  type JsonObject,
  type KnownIds,
  markedInput,
  outcomeOf,
  reading,
  writing,
} from './table.ts';
import { forEachVariation, variationsOf } from './variations.ts';

const MARK = 'outputs';
const as = { agent_id: `agent/${MARK}`, session_id: 'sess-1' };

describe.each(backends)('what operations answer on %s', (backend) => {
  let app: TestApp;
  let known: KnownIds;
  beforeAll(async () => {
    app = await openTestApp(backend);
    for (const mark of ['others', MARK]) known = await createExamples(app, { mark, as });
  });
  afterAll(() => app.close());

  async function check(name: OperationName, input: JsonObject, key?: string): Promise<JsonObject> {
    const outcome = await outcomeOf(app, name, { input, as: { ...as, idempotency_key: key } });
    if ('refused' in outcome) {
      const { code } = outcome.refused as { code: never };
      expect(errorsOf(name), JSON.stringify({ input, outcome })).toContain(code);
      return outcome;
    }
    const { stream, lines } = definition(name);
    const parts = stream ? outcome.events : lines ? outcome.lines : [outcome];
    expectDeclared(name, parts as JsonObject[], input);
    return outcome;
  }

  it.each(reading)('%s answers what the contract says, whatever is asked', async (name) => {
    for (const input of variationsOf(name, markedInput(name, MARK, known), MARK)) {
      const outcome = await check(name, input);
      if (outcome.next_cursor) await check(name, { ...input, cursor: outcome.next_cursor });
    }
  });

  it.each(reading)('%s has something to show for its example', async (name) => {
    const outcome = await check(name, markedInput(name, MARK, known));
    expect(outcome).not.toHaveProperty('refused');
    for (const [field, list] of Object.entries(outcome))
      if (Array.isArray(list) && field in SHOWN) expect(list.length, `${name} ${field}`).toBeGreaterThan(0);
  });

  it.each(writing)('%s answers what the contract says, whatever is asked, and to a retry too', async (name) => {
    await forEachVariation({ app, name, known, mark: MARK, as }, async (input, i) => {
      for (const key of ['first', 'first', 'again']) await check(name, input, `${name} ${i} ${key}`);
    });
  });
});

describe('the row of an operation', () => {
  it.each([...reading, ...writing])('%s has a summary, a module and an example that fits', (name) => {
    const { summary, module, input, example } = definition(name);
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
    expect(module).toMatch(/^[a-z]+(-[a-z]+)*$/);
    for (const n of [0, 1, 2]) expect(input.safeParse(example(n)).error?.issues ?? []).toEqual([]);
    const { removes } = definition(name);
    if (removes !== undefined) expect(operationNames).toContain(removes);
  });
});

describe('answers', () => {
  it('take members of any name only where callers or types of events bring their own', () => {
    const open = operationNames.flatMap((name) => openObjects(operations[name].output));
    expect(new Set(open.map((path) => path.split('.').at(-1)))).toEqual(new Set(OPEN));
  });
});

/** What was recorded comes back as it was given. An event and a line of an export, at the top, are of many types. */
const OPEN = ['tool_calls', 'llm_calls', 'span', 'spans', 'session_metadata', ''];

/** Lists that hold something once the examples are laid. */
const SHOWN: Record<string, true> = {
  entries: true,
  versions: true,
  commits: true,
  entities: true,
  patterns: true,
  events: true,
};
