import { type OperationName, operationNames, operations, parseGlob } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, Principal } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { type CountedStatements, countStatements, noteStatement } from '../support/counted.ts';
import { watchDatabase } from '../support/statements.ts';
import { layMany, manyInput } from './many.ts';
import { definition, forAgents, type KnownIds, markedInput, newAccount, newInput } from './table.ts';

const [FEW, MANY] = [10, 500];
const MARK = 'many';
/** A binary search may take one more step, and background work may run at the same time. */
const SLACK = 10;

const scope = [[parseGlob(`${MARK}/**`) as never]];
const key: Principal = { key_id: 'k1', name: 'scoped', type: 'admin', read: scope, write: scope };

const callerOf = (count: number): Partial<Caller> => ({
  account_id: `account-${count}`,
  agent_id: 'agent/many',
  session_id: 'open',
});

/** Operations that remove something run last. */
const order = (name: OperationName): number =>
  definition(name).removes || definition(name).erases ? 2 : definition(name).effect === 'read' ? 0 : 1;
const inOrder = [...operationNames].sort((a, b) => order(a) - order(b));

describe.each(backends)('how many statements operations take on %s', (backend) => {
  let app: TestApp;
  const known = new Map<number, KnownIds>();
  beforeAll(async () => {
    app = await openTestApp(backend, {
      wrapDatabase: (database) => watchDatabase(database, noteStatement),
    });
    for (const count of [FEW, MANY]) {
      await newAccount(app, `account-${count}`);
      const ids = await layMany(app, { as: callerOf(count), mark: MARK, count });
      known.set(count, { ...ids, account_id: `account-${count}` });
    }
  });
  afterAll(() => app.close());

  async function count(name: OperationName, items: number, as: Partial<Caller>): Promise<CountedStatements> {
    const { noteBuffer } = app.kernel.services;
    await noteBuffer.flushAll();
    const inputOf = operations[name].effect === 'read' ? markedInput : newInput;
    const input = manyInput(name, inputOf(name, MARK, known.get(items)), items);
    const control = operations[name].effect === 'control' ? { control: true as const } : {};
    let refused: unknown;
    const asked = await countStatements(async () => {
      await app.call(name, input as never, { ...callerOf(items), ...as, ...control }).catch((error) => {
        refused = error;
      });
      await noteBuffer.flushAll();
    });
    if (refused && forAgents.includes(name) && !as.key) throw refused;
    return asked;
  }

  /** On PostgreSQL what goes over the wire; on SQLite what the service asks for, since a list of rows is one call there. */
  const numberOf = ({ texts, statements }: CountedStatements) => (backend === 'postgres' ? statements : texts.length);

  async function checkGrowth(name: OperationName, as: Partial<Caller> = {}): Promise<void> {
    const few = await count(name, FEW, as);
    const many = await count(name, MANY, as);
    const { items_per_statement } = definition(name);
    const most = items_per_statement === undefined ? SLACK : (MANY - FEW) / items_per_statement;
    const message = `${numberOf(few)} statements for ${FEW} items, ${numberOf(many)} for ${MANY}:\n${repeated(many.texts)}`;
    expect(numberOf(many) - numberOf(few), message).toBeLessThanOrEqual(most);
  }

  it.each(inOrder.filter((name) => operations[name].effect === 'read'))(
    '%s with a key of a scope takes no more for 500 items than for 10',
    (name) => checkGrowth(name, { key }),
  );

  it.each(inOrder)('%s takes no more for 500 items than for 10, unless its row says so', (name) => checkGrowth(name));
});

/** The statements that were run repeatedly. */
function repeated(statements: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of statements) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].flatMap(([text, n]) => (n > 3 ? [`${n} × ${text}`] : [])).join('\n');
}
