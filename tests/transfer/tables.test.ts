import { describe, expect, it } from 'vitest';
import { fragment } from '../../packages/server/src/db/index.ts';
import { isExported } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp } from '../support/app.ts';

const COLUMNS = {
  sqlite: `SELECT m.name AS name, c.name AS column_name, 1 - max(c."notnull", c.pk > 0) AS nullable
    FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' GROUP BY 1, 2 ORDER BY 1, 2`,
  postgres: `SELECT table_name AS name, column_name, CASE WHEN is_nullable = 'YES' THEN 1 ELSE 0 END AS nullable
    FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT LIKE 'words_of_%' ORDER BY 1, 2`,
};

type ColumnInfo = { name: string; column_name: string; nullable: number };

describe.each(backends)('tables that hold what belongs to accounts, on %s', (backend) => {
  it('are all exported, or left out for a reason, with every column they have', async () => {
    const app = await openTestApp(backend);
    const { database, tables } = app.kernel.services;
    const columns = await database.scan.all<ColumnInfo>(fragment(COLUMNS[backend]));
    await app.close();
    const tenant = new Set(columns.filter(({ column_name }) => column_name === 'account_id').map(({ name }) => name));
    expect(tenant.size).toBeGreaterThan(15);
    expect(tables.map(({ table }) => table).sort()).toEqual([...tenant].sort());
    for (const table of tables.filter(isExported)) {
      const own = columns.filter(({ name }) => name === table.table);
      const declared = new Set([...Object.keys(table.columns), ...table.derived]);
      expect(own.filter(({ column_name }) => !declared.has(column_name))).toEqual([]);
      const nullable = own.filter(({ column_name, nullable }) => nullable === 1 && column_name in table.columns);
      const names = nullable.map(({ column_name }) => column_name).sort();
      // Another table has some of the columns, and perhaps no row.
      if (table.relation) expect(table.nullable).toEqual(expect.arrayContaining(names));
      else expect(names).toEqual([...table.nullable].sort());
    }
    for (const table of tables) if (!isExported(table)) expect(table.left_out).toMatch(/\w+/);
    const kinds = tables.filter(isExported).map(({ kind }) => kind);
    expect(new Set(kinds).size).toBe(kinds.length);
  });
});
