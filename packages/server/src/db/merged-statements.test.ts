import { expect, it } from 'vitest';
import type { Transaction } from './database.ts';
import { MergedStatements } from './merged-statements.ts';
import type { Find, Insert, Row, Update } from './sql.ts';

const events: Insert = { table: 'events', columns: { account_id: 'text', n: 'int' } };
const counts: Insert = { table: 'counts', columns: { account_id: 'text', n: 'int' }, suffix: 'RETURNING n' };
const entries: Find = { table: 'entries', select: 'n', by: { account_id: 'text', n: 'int' } };
const accounts: Update = { table: 'accounts', set: { n: 'int' }, by: { account_id: 'text' } };

/** Notes what arrives, and answers as a database does. */
function recorder() {
  const seen: string[] = [];
  const note = (what: string, rows: readonly Row[]) =>
    void seen.push(`${what} ${rows.map(({ account_id, n }) => `${account_id}${n}`).join(' ')}`);
  const tx = {
    insertMany: async ({ table, suffix }: Insert, rows: readonly Row[]) => {
      note(table, rows);
      return suffix === undefined ? [] : [...rows].reverse();
    },
    updateMany: async ({ table }: Update, rows: readonly Row[]) => note(table, rows),
    findMany: async ({ table }: Find, keys: readonly unknown[][]) => {
      seen.push(`${table} ${keys.map((key) => key.join('')).join(' ')}`);
      return keys.map(([account_id, n]) => ({ account_id, n }));
    },
    run: async ({ text }: { text: string }) => {
      seen.push(text);
      return 1;
    },
  };
  return { seen, tx: tx as unknown as Transaction };
}

it('what accounts ask at the same moment is one statement, and each gets its own rows', async () => {
  const { seen, tx } = recorder();
  const merged = new MergedStatements(tx);
  const results = await Promise.all(
    ['a', 'b', 'c'].map(async (account_id) => {
      const part = merged.newPart(account_id);
      const found = await part.findMany(entries, [[account_id, 1]]);
      const [counted] = await Promise.all([
        part.insertMany(counts, [
          { account_id, n: 2 },
          { account_id, n: 3 },
        ]),
        part.insertMany(events, [{ account_id, n: 4 }]),
        part.updateMany(accounts, [{ account_id, n: 5 }]),
      ]);
      return { found, counted };
    }),
  );
  expect(seen).toEqual(['entries a1 b1 c1', 'counts a2 a3 b2 b3 c2 c3', 'events a4 b4 c4', 'accounts a5 b5 c5']);
  expect(results[1]).toEqual({
    found: [{ account_id: 'b', n: 1 }],
    counted: [
      { account_id: 'b', n: 3 },
      { account_id: 'b', n: 2 },
    ],
  });
});

it('the statements of an account run in the order of its calls', async () => {
  const { seen, tx } = recorder();
  const merged = new MergedStatements(tx);
  const [a, b] = [merged.newPart('a'), merged.newPart('b')];
  await Promise.all([
    a.insertMany(events, [{ account_id: 'a', n: 1 }]),
    b.run({ text: 'first of b', values: [] }),
    b.insertMany(events, [{ account_id: 'b', n: 1 }]),
    a.run({ text: 'last of a', values: [] }),
  ]);
  expect(seen).toEqual(['events a1', 'last of a', 'first of b', 'events b1']);
});

it('a statement that fails fails for all that share it', async () => {
  const { tx } = recorder();
  const broken = { ...tx, insertMany: () => Promise.reject(new Error('full')) };
  const merged = new MergedStatements(broken as unknown as Transaction);
  const results = await Promise.allSettled(
    ['a', 'b'].map((account_id) => merged.newPart(account_id).insertMany(events, [{ account_id, n: 1 }])),
  );
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

it('a part is of one account', () => {
  const part = new MergedStatements(recorder().tx).newPart('a');
  expect(() => part.enter('b')).toThrow('of one account');
  expect(() => part.savepoint(async () => {})).toThrow('no savepoints');
});
