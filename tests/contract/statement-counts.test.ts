import { type OperationName, operationNames, operations, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, Principal } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { type CountedStatements, countStatements, noteStatement } from '../support/counted.ts';
import { watchDatabase } from '../support/statements.ts';
import { layTeams } from './branching.ts';
import { layMany, manyInput } from './many.ts';
import { ACCOUNT_NAME, PREPARE, prepareRetry } from './prepared.ts';
import { definition, type KnownIds, markedInput, newInput } from './table.ts';

const [FEW, MANY] = [10, 150];
const MARK = 'many';
/**
 * A binary search may take one more step, background work may run at the same time, and of a write that joins a
 * transaction in progress what all its writes share is not counted.
 */
const SLACK = 20;

const scope = [[parseGlob(`${MARK}/**`) as never]];
const key: Principal = { key_id: 'k1', name: 'scoped', type: 'admin', read: scope, write: scope };

const accountOf = (count: number): string => `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;

const callerOf = (count: number): Partial<Caller> => ({
  account_id: accountOf(count),
  agent_id: 'agent/many',
  session_id: 'open',
});

/** Operations that remove something run last, after them those that erase it, and those that remove the account. */
function order(name: OperationName): number {
  const { removes, erases, effect, http } = definition(name);
  if (effect === 'control' && http.method === 'DELETE') return 4;
  if (erases) return 3;
  return removes ? 2 : effect === 'read' ? 0 : 1;
}
const inOrder = [...operationNames].sort((a, b) => order(a) - order(b));

/** What the row refuses to a key of a scope. */
const isForWholeAccount = (name: OperationName): boolean =>
  Boolean(definition(name).whole || definition(name).needs_full_scope) || isInRoom(name);

/** Rooms are paths of their own, and the scope has none of them. */
const isInRoom = (name: OperationName): boolean => !['paths', undefined].includes(definition(name).in_room);

type Counted = CountedStatements & { items: number };
type MeasuredOperation = { name: OperationName; as?: Partial<Caller>; prepare?: (typeof PREPARE)[OperationName] };

describe.each(backends)('how many statements operations take on %s', (backend) => {
  let app: TestApp;
  const known = new Map<number, KnownIds>();
  beforeAll(async () => {
    app = await openTestApp(backend, {
      // No periodic work between the statements that are counted.
      sweepSeconds: 86_400,
      hosted: true,
      rateLimits: false,
      wrapDatabase: (database) => watchDatabase(database, noteStatement),
    });
    for (const count of [FEW, MANY]) {
      const account_id = accountOf(count);
      await app.call('accounts.create', { account_id, name: ACCOUNT_NAME, plan: 'enterprise' }, { control: true });
      const ids = await layMany(app, { as: callerOf(count), mark: MARK, count });
      await layTeams(app, { as: callerOf(count) }, ids);
      known.set(count, { ...ids, account_id });
    }
  });
  afterAll(() => app.close());

  async function count(items: number, { name, as = {}, prepare = PREPARE[name] }: MeasuredOperation): Promise<Counted> {
    const { noteBuffer } = app.kernel.services;
    const isRefused = as.key !== undefined && isForWholeAccount(name);
    const prepared = isRefused ? {} : ((await prepare?.(app, { as: callerOf(items), count: items })) ?? {});
    await noteBuffer.flushAll();
    const { effect } = operations[name];
    const inputOf = effect === 'read' ? markedInput : newInput;
    const input = prepared.input ?? manyInput(name, inputOf(name, MARK, known.get(items)), items);
    const control = effect === 'control' ? { control: true as const } : {};
    let answer = {};
    let refused: unknown;
    const asked = await countStatements(async () => {
      try {
        answer = await app.call(name, input as never, { ...callerOf(items), ...as, ...prepared.as, ...control });
      } catch (error) {
        refused = error;
      }
      await noteBuffer.flushAll();
    });
    if (isRefused) expect(refused).toMatchObject({ code: 'forbidden' });
    else if (refused) throw refused;
    return { ...asked, items: Math.max(sizeOf(input), sizeOf(answer)) };
  }

  /** On PostgreSQL what goes over the wire; on SQLite what the service asks for, since a list of rows is one call there. */
  const numberOf = ({ texts, statements }: CountedStatements) => (backend === 'postgres' ? statements : texts.length);

  async function checkGrowth(measured: MeasuredOperation): Promise<void> {
    const few = await count(FEW, measured);
    const many = await count(MANY, measured);
    const { items_per_statement } = definition(measured.name);
    const most = items_per_statement === undefined ? 0 : (many.items - few.items) / items_per_statement;
    const message = `${numberOf(few)} statements for ${few.items} items, ${numberOf(many)} for ${many.items}:\n${repeated(many.texts)}`;
    expect(numberOf(many) - numberOf(few), message).toBeLessThanOrEqual(most + SLACK);
  }

  it.each(inOrder.filter((name) => operations[name].effect === 'read'))(
    '%s with a key of a scope takes no more for 150 items than for 10',
    (name) => checkGrowth({ name, as: { key } }),
  );

  it('transfer.add takes no more for lines that it has received', () =>
    checkGrowth({ name: 'transfer.add', prepare: prepareRetry }));

  it.each(inOrder)('%s takes no more for 150 items than for 10, unless its row says so', (name) =>
    checkGrowth({ name }),
  );
});

/** The length of the longest list, or all that its counts add up to. */
function sizeOf(given: object): number {
  const { counts = {} } = given as { counts?: Record<string, number> };
  const lengths = Object.values(given).map((one) => (Array.isArray(one) ? one.length : 0));
  return Math.max(
    ...lengths,
    Object.values(counts).reduce((sum, n) => sum + n, 0),
  );
}

/** The statements that were run repeatedly. */
function repeated(statements: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of statements) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].flatMap(([text, n]) => (n > 3 ? [`${n} × ${text}`] : [])).join('\n');
}
