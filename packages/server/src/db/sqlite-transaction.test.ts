import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { fragment, type Insert, sql } from './sql.ts';
import { openSqlite } from './sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'mem-steps-'));
let database: Awaited<ReturnType<typeof openSqlite>>;

const insert: Insert = { table: 'notes', columns: { id: 'int', text: 'text' } };
const update = { table: 'notes', set: { text: 'text' }, by: { id: 'int' } } as const;
/** Enough of them to take longer than a turn of the event loop may. */
const many = (text: string) => Array.from({ length: 60_000 }, (_, id) => ({ id, text }));
const count = sql`SELECT count(*) AS n FROM notes`;

beforeAll(async () => {
  database = await openSqlite(folder);
  await database.transaction((tx) => tx.run(fragment('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)')));
});
beforeEach(async () => {
  await database.transaction((tx) => tx.run(fragment('DELETE FROM notes')));
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

/** How many turns the event loop had while the work ran. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let ended = false;
  const turn = () => {
    turns++;
    if (!ended) setImmediate(turn);
  };
  setImmediate(turn);
  await work().finally(() => {
    ended = true;
  });
  return turns;
}

it('statements run in the order of their calls while rows are written in steps', async () => {
  const turns = await turnsDuring(() =>
    database.transaction(async (tx) => {
      const order: string[] = [];
      const done =
        <T>(name: string) =>
        (result: T) => {
          order.push(name);
          return result;
        };
      const inserted = tx.insertMany(insert, many('first')).then(done('insert'));
      // Called once the rows are written, so after all of the statements below.
      const last = inserted.then(() => tx.run(sql`UPDATE notes SET text = text || ' last' WHERE id = 1`));
      const counted = tx.get<{ n: number }>(count).then(done('count'));
      const updated = tx.updateMany(update, many('second')).then(done('update'));
      const deleted = tx.run(sql`DELETE FROM notes WHERE id >= 50000`).then(done('delete'));
      const found = tx.all<{ text: string }>(sql`SELECT text FROM notes WHERE id = 1`).then(done('find'));
      expect(await counted).toEqual({ n: 60_000 });
      expect(await deleted).toBe(10_000);
      expect(await found).toEqual([{ text: 'second' }]);
      await Promise.all([updated, last]);
      expect(await tx.get(sql`SELECT text FROM notes WHERE id = 1`)).toEqual({ text: 'second last' });
      expect(order).toEqual(['insert', 'count', 'update', 'delete', 'find']);
    }),
  );
  expect(turns).toBeGreaterThan(2);
});

it('a savepoint takes back all rows that were being written in steps when its work failed', async () => {
  await database.transaction(async (tx) => {
    await tx.insertMany(insert, [{ id: 70_000, text: 'before' }]);
    const sent: Promise<unknown>[] = [];
    const failed = tx.savepoint(async () => {
      sent.push(tx.insertMany(insert, many('undone')), tx.run(sql`DELETE FROM notes WHERE id = 70000`));
      throw new Error('after the rows were sent');
    });
    await expect(failed).rejects.toThrow('after the rows were sent');
    await Promise.allSettled(sent);
    expect(await tx.all(sql`SELECT id, text FROM notes`)).toEqual([{ id: 70_000, text: 'before' }]);
    await tx.insertMany(insert, [{ id: 70_001, text: 'after' }]);
  });
  expect(await database.read.all(sql`SELECT id FROM notes ORDER BY id`)).toEqual([{ id: 70_000 }, { id: 70_001 }]);
});

it('an error in the middle of many rows fails their statement, and a savepoint goes on from before them', async () => {
  await database.transaction(async (tx) => {
    const twice = [...many('row'), { id: 7, text: 'twice' }];
    await expect(tx.savepoint(() => tx.insertMany(insert, twice))).rejects.toThrow(/UNIQUE/);
    expect(await tx.get(count)).toEqual({ n: 0 });
    await tx.insertMany(insert, [{ id: 1, text: 'kept' }]);
  });
  expect(await database.read.get(count)).toEqual({ n: 1 });
});

it('a transaction that fails while rows are written in steps leaves none of them', async () => {
  let sent: Promise<unknown> = Promise.resolve();
  const failed = database.transaction(async (tx) => {
    sent = Promise.allSettled([tx.insertMany(insert, many('undone'))]);
    throw new Error('too early');
  });
  await expect(failed).rejects.toThrow('too early');
  await database.transaction((tx) => tx.insertMany(insert, [{ id: 70_000, text: 'next' }]));
  await sent;
  expect(await database.read.get(count)).toEqual({ n: 1 });
});

it('a transaction of many statements lets other requests have their turn between them', async () => {
  const turns = await turnsDuring(() =>
    database.transaction(async (tx) => {
      await tx.insertMany(insert, many('row').slice(0, 20_000));
      for (let i = 0; i < 60; i++) await tx.get(sql`SELECT count(*) AS n FROM notes WHERE text LIKE ${`%${i}%`}`);
    }),
  );
  expect(turns).toBeGreaterThan(2);
});
