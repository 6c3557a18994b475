import pg from 'pg';
import type { Query, Transaction } from './database.ts';
import { partitionName, undividedName } from './postgres-obstacles.ts';
import { createView, dropView, type WordsView } from './row-security-types.ts';
import { fragment, type Sql } from './sql.ts';

const quote = pg.escapeIdentifier;
const here = `c.relnamespace = to_regnamespace(quote_ident(current_schema()))`;

/** A table with rows of accounts, as far as its division is concerned. */
export type TableDivision = {
  table: string;
  /** 0 where the table is not partitioned. */
  partitions: number;
  /** Unique indexes that an account does not lead: the table cannot be divided by account. */
  blocking: string[];
  bytes: number;
};

const DIVISIONS = `SELECT CAST(c.relname AS text) AS "table",
    CAST((SELECT count(*) FROM pg_inherits WHERE inhparent = c.oid AND c.relkind = 'p') AS int) AS partitions,
    ARRAY(SELECT CAST(x.relname AS text) FROM pg_index AS i JOIN pg_class AS x ON x.oid = i.indexrelid
      WHERE i.indrelid = c.oid AND i.indisunique AND i.indkey[0] <> a.attnum ORDER BY 1) AS blocking,
    CASE WHEN c.relkind = 'p' THEN (SELECT CAST(sum(pg_total_relation_size(relid)) AS bigint) FROM pg_partition_tree(c.oid))
      ELSE pg_total_relation_size(c.oid) END AS bytes
  FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped
  WHERE ${here} AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`;

/** How the tables of these names are divided. Tables of other programs are left out. */
export async function readDivisions(query: Pick<Query, 'all'>, names: ReadonlySet<string>): Promise<TableDivision[]> {
  return (await query.all<TableDivision>(fragment(DIVISIONS))).filter(({ table }) => names.has(table));
}

/** What a table has beside its rows and columns, as statements that make it again. */
type TableParts = { options: string; made: string[] };

/** The table is still under its own name; the statements run when another one has it. */
const PARTS = `WITH t AS (SELECT c.* FROM pg_class AS c WHERE ${here} AND c.relname = ?),
  rights AS (
    SELECT '' AS columns, e.* FROM t, aclexplode(t.relacl) AS e
    UNION ALL SELECT format(' (%I)', a.attname), e.* FROM t JOIN pg_attribute AS a ON a.attrelid = t.oid, aclexplode(a.attacl) AS e)
  SELECT COALESCE((SELECT array_to_string(reloptions, ', ') FROM t), '') AS options,
    ARRAY(SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', t.relname, k.conname, pg_get_constraintdef(k.oid))
        FROM t JOIN pg_constraint AS k ON k.conrelid = t.oid AND k.contype IN ('p', 'u') ORDER BY k.contype)
      || ARRAY(SELECT pg_get_indexdef(i.indexrelid) FROM t JOIN pg_index AS i ON i.indrelid = t.oid
        WHERE NOT EXISTS (SELECT 1 FROM pg_constraint AS k WHERE k.conindid = i.indexrelid) ORDER BY i.indexrelid)
      || ARRAY(SELECT format('GRANT %s%s ON %I TO %s%s', r.privilege_type, r.columns, t.relname,
          CASE WHEN r.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(r.grantee)) END,
          CASE WHEN r.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM t, rights AS r WHERE r.grantee <> t.relowner) AS made`;

/** New tables may have rights by default, of which those of the old table and of other partitions know nothing. */
const REVOKED = `SELECT DISTINCT format('REVOKE ALL ON %s FROM %s', CAST(c.oid AS regclass),
    CASE WHEN e.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(e.grantee)) END) AS text
  FROM pg_partition_tree(to_regclass(quote_ident(?))) AS p JOIN pg_class AS c ON c.oid = p.relid, aclexplode(c.relacl) AS e
  WHERE e.grantee <> c.relowner`;

const LEAST_ANALYZED = 1_000;

const text = (value: string): Sql => fragment(value);

/** The view is mem's own, and made by its own definition. */
export type DividedTable = { table: string; partitions: number; words: WordsView | undefined };

/**
 * Puts the rows of a table into hash partitions by account and compares their number. Runs in one transaction, as the
 * owner of the tables, when nothing is in the way. Policies are not made here: the transaction that alters a schema ends with them.
 */
export async function divideTable(tx: Transaction, { table, partitions, words }: DividedTable): Promise<number> {
  const [name, whole] = [quote(table), quote(undividedName(table))];
  const parts = (await tx.get<TableParts>({ text: PARTS, values: [table] })) as TableParts;
  if (words) await tx.run(text(dropView(words.view)));
  await tx.run(text(`ALTER TABLE ${name} RENAME TO ${whole}`));
  await makePartitions(tx, { table, partitions, options: parts.options });
  await tx.run(text(`INSERT INTO ${name} SELECT * FROM ${whole}`));
  const count = async (of: string) => (await tx.get<{ n: number }>(text(`SELECT count(*) AS n FROM ${of}`)))?.n;
  const [before, after] = [await count(whole), await count(name)];
  if (before === undefined || before !== after)
    throw new Error(`${table} has ${before} rows, and its partitions ${after}: nothing of it was changed`);
  await tx.run(text(`DROP TABLE ${whole}`));
  for (const statement of parts.made) await tx.run(text(statement));
  if (words) await tx.run(text(createView(name, words)));
  await analyze(tx, name);
  return after;
}

/** Nothing may be made on the table between the last look at it and its division. */
export const lockTable = async (tx: Transaction, table: string): Promise<void> => {
  await tx.run(text(`LOCK TABLE ${quote(table)} IN ACCESS EXCLUSIVE MODE`));
};

type NewPartitions = { table: string; partitions: number; options: string };

async function makePartitions(tx: Transaction, { table, partitions, options }: NewPartitions): Promise<void> {
  const [name, whole] = [quote(table), quote(undividedName(table))];
  const kept = ['DEFAULTS', 'CONSTRAINTS', 'GENERATED', 'STORAGE', 'COMPRESSION', 'COMMENTS'];
  const like = kept.map((part) => `INCLUDING ${part}`).join(' ');
  await tx.run(text(`CREATE TABLE ${name} (LIKE ${whole} ${like}) PARTITION BY HASH (account_id)`));
  const settings = options === '' ? '' : ` WITH (${options})`;
  for (let i = 0; i < partitions; i++) {
    const values = `FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${i})`;
    await tx.run(text(`CREATE TABLE ${quote(partitionName(table, i))} PARTITION OF ${name} ${values}${settings}`));
  }
  const revoked = await tx.all<{ text: string }>({ text: REVOKED, values: [table] });
  for (const statement of revoked) await tx.run(text(statement.text));
}

/** Statistics of an empty table are worse than none: it is read from end to end while it fills. */
async function analyze(tx: Transaction, name: string): Promise<void> {
  const filled = await tx.all<{ name: string; n: number }>(
    text(`SELECT CAST(CAST(tableoid AS regclass) AS text) AS name, count(*) AS n FROM ${name} GROUP BY tableoid`),
  );
  for (const partition of filled) if (partition.n >= LEAST_ANALYZED) await tx.run(text(`ANALYZE ${partition.name}`));
}
