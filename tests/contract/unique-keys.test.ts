import { expect, it } from 'vitest';
import { fragment } from '../../packages/server/src/db/index.ts';
import { backends, openTestApp } from '../support/app.ts';

/** A partition or a node only knows what is unique among its own accounts. */
const OVER_ALL_ACCOUNTS: Record<string, string> = {
  'accounts (number)': 'given out once for all accounts; the table has one row an account',
  'api_keys (key_hash)': 'a key is looked up before its account is known',
};

const UNIQUE = {
  sqlite: `SELECT m.name AS "table", (SELECT group_concat(c.name, ', ') FROM pragma_index_info(i.name) AS c) AS columns
    FROM sqlite_master AS m, pragma_index_list(m.name) AS i WHERE m.type = 'table' AND i."unique" = 1
      AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) WHERE name = 'account_id')`,
  postgres: `SELECT CAST(c.relname AS text) AS "table", (SELECT string_agg(a.attname, ', ' ORDER BY k.no) FROM
      unnest(i.indkey) WITH ORDINALITY AS k (attnum, no) JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.attnum) AS columns
    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
    WHERE i.indisunique AND c.relnamespace = to_regnamespace(current_schema())
      AND EXISTS (SELECT 1 FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'account_id')`,
};

it.each(backends)(
  'every unique key of a table of accounts begins with the account, but for two, on %s',
  async (backend) => {
    const app = await openTestApp(backend);
    const { read } = app.kernel.services.database;
    const found = await read.all<{ table: string; columns: string }>(fragment(UNIQUE[backend]));
    await app.close();
    expect(found.length).toBeGreaterThan(25);
    const others = found.filter(({ columns }) => !/^account_id\b/.test(columns));
    expect(others.map(({ table, columns }) => `${table} (${columns})`).sort()).toEqual(Object.keys(OVER_ALL_ACCOUNTS));
  },
);
