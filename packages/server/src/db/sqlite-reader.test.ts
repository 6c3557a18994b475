import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Find } from './sql.ts';
import { SqliteReader } from './sqlite-reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'mem-reader-'));
const file = join(folder, 'some.db');
let reader: SqliteReader;

const texts = ['', "it's", '{"a":"\\b\\"c"}', 'Käse 🧀 \u2028', 'line\nend\ttab', '[1, 2]'];

beforeAll(async () => {
  const writer = new SqliteReader(file, { readOnly: false });
  await writer.all({ text: 'CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, size INTEGER)', values: [] });
  for (let id = 1; id <= 300; id++)
    await writer.all({
      text: 'INSERT INTO things VALUES (?, ?, ?)',
      values: [id, texts[id % texts.length] ?? null, id % 5 === 0 ? null : 2 ** 50 + id],
    });
  await writer.close();
  reader = new SqliteReader(file);
});
afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true });
});

it('rows that are handed over as one text are the same, in the same order', async () => {
  const text = 'SELECT name, size, id AS "the ""id""" FROM things ORDER BY id DESC LIMIT ?';
  const rows = await reader.all({ text, values: [250] });
  expect(rows).toHaveLength(250);
  expect(await reader.all({ text, values: [250], packed: true })).toEqual(rows);
  expect(await reader.all({ text: 'SELECT id FROM things WHERE id < ?', values: [0], packed: true })).toEqual([]);
});

it('and so are those that are found by their keys, and long ones', async () => {
  const find: Find = { table: 'things', select: 'name, size', by: { id: 'int' } };
  const keys = Array.from({ length: 301 }, (_, n) => [300 - n]);
  const found = await reader.findMany(find, keys);
  expect(found[300]).toBeUndefined();
  expect(await reader.findMany({ ...find, packed: true }, keys)).toEqual(found);
  const long = { text: `SELECT id, printf('%.*c', 20000, 'x') AS name FROM things ORDER BY id`, values: [] };
  expect(await reader.all({ ...long, packed: true })).toEqual(await reader.all(long));
});
