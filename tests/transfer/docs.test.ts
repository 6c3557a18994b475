import { expect, test } from 'vitest';
import { systems } from '../../packages/server/src/import/systems.ts';
import { isExported } from '../../packages/server/src/kernel/index.ts';
import { readDoc, tableOf } from '../docs/markdown.ts';
import { openTestApp } from '../support/app.ts';

const page = readDoc('docs/import-export.md');

test('docs/import-export.md has every record with its members and its key', async () => {
  const app = await openTestApp('sqlite');
  const { tables } = app.kernel.services;
  await app.close();
  const expected = tables.filter(isExported).map(({ kind, columns, key, nullable, json }) => {
    const members = Object.keys(columns).filter((name) => name !== 'account_id');
    const shown = members.map(
      (name) => name + (nullable.includes(name) ? '?' : '') + (json.includes(name) ? ' (JSON)' : ''),
    );
    return [kind, shown.join(', '), key.join(', ')];
  });
  expect(tableOf(page, '### Records')).toEqual(expected);
  const left = tables.flatMap((table) => (isExported(table) ? [] : [[table.table, table.left_out]]));
  expect(tableOf(page, '### What is not in it')).toEqual(left);
});

test('docs/import-export.md describes every system', () => {
  expect(tableOf(page, '## From other systems').map(([name]) => name)).toEqual([...systems]);
});
