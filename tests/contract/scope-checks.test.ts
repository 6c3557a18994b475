import { type OperationName, operations, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { dump } from './dump.ts';
import { createExamples, definition, type KnownIds, markedInput, outcomeOf, reading, writing } from './table.ts';

const scopeOf = (...patterns: string[]) => [patterns.map((pattern) => parseGlob(pattern) as never)];
const NOWHERE = scopeOf();
const keyWith = (scopes: Pick<Principal, 'read' | 'write'>): Principal => ({
  key_id: 'k1',
  name: 'scoped',
  type: 'admin',
  ...scopes,
});

const readers = reading.filter((name) => operations[name].effect === 'read');
const MARK = 'doormark';
const AGENT = { agent_id: 'agent/d' };

describe.each(backends)('the door of scoped keys, on %s', (backend) => {
  let app: TestApp;
  let known: KnownIds;
  beforeAll(async () => {
    app = await openTestApp(backend);
    known = await createExamples(app, { mark: MARK, as: AGENT });
  });
  afterAll(() => app.close());

  const ask = (name: OperationName, key: Principal, mark = MARK) =>
    outcomeOf(app, name, { input: markedInput(name, mark, mark === MARK ? known : {}), as: { ...AGENT, key } });

  it.each(writing)('%s with a key that may only read is refused and changes nothing', async (name) => {
    const before = await dump(app);
    for (const key of [keyWith({ write: NOWHERE }), keyWith({ read: scopeOf(`${MARK}/**`), write: NOWHERE })])
      expect(await ask(name, key)).toMatchObject({
        refused: { status: 403, code: 'forbidden', permission: 'WRITE', detail: expect.stringContaining('WRITE') },
      });
    expect(await dump(app)).toEqual(before);
  });

  it.each(readers)('%s with a key that may only write is refused', async (name) => {
    const { refused } = await ask(name, keyWith({ read: NOWHERE }));
    expect(refused).toMatchObject({ status: 403, code: 'forbidden' });
    if (!definition(name).needs_full_scope) expect(refused).toMatchObject({ permission: 'READ' });
  });

  const isNaming = (name: OperationName) =>
    /"(entity_path|source_type)":/.test(JSON.stringify(operations[name].example(0)));
  const exact = readers.filter((name) => ask403(name));
  /** A field that takes one path and nothing else. */
  function ask403(name: OperationName): boolean {
    return isNaming(name) && 'key' in operations[name].example(0);
  }

  it.each([...exact, ...writing.filter((name) => isNaming(name) && !definition(name).admin)])(
    '%s says the same of what lies outside, whether it is there or not',
    async (name) => {
      const key = keyWith({ read: scopeOf('elsewhere/**'), write: scopeOf('elsewhere/**') });
      const before = await dump(app);
      const there = await ask(name, key);
      const permission = operations[name].effect === 'read' || definition(name).cites ? 'READ' : 'WRITE';
      expect(there).toMatchObject({ refused: { status: 403, permission } });
      const { entity_path, detail } = there.refused as { entity_path: string; detail: string };
      expect(entity_path).toMatch(new RegExp(`^${MARK}/`));
      expect(detail).toBe(`this key does not have ${permission} on ${entity_path}`);
      const missing = JSON.stringify(await ask(name, key, 'nosuchmark'));
      expect(missing).toBe(JSON.stringify(there).replaceAll(MARK, 'nosuchmark'));
      expect(await dump(app)).toEqual(before);
    },
  );

  it('every read that takes the path and the key of one entry is among them', () => {
    const takes = (name: OperationName, input: object) => operations[name].input.safeParse(input).success;
    const ofOne = readers.filter(
      (name) => takes(name, { entity_path: 'a', key: 'k' }) && !takes(name, { entity_path: 'a/**', key: 'k' }),
    );
    expect(ofOne.length).toBeGreaterThan(3);
    expect(exact).toEqual(expect.arrayContaining(ofOne));
  });
});
