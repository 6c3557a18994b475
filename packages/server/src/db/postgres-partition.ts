import pg from 'pg';
import type { Query, Transaction } from './database.ts';
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
type TableParts = { options: string; made: string[]; views: string[]; refusal: string | null };

/** The table is still under its own name; the statements run when another one has it. */
const PARTS = `WITH RECURSIVE t AS (SELECT c.* FROM pg_class AS c WHERE ${here} AND c.relname = ?),
  seen (oid, depth) AS (
    SELECT r.ev_class, 1 FROM t JOIN pg_depend AS d ON d.refobjid = t.oid AND d.classid = CAST('pg_rewrite' AS regclass)
      JOIN pg_rewrite AS r ON r.oid = d.objid
    UNION SELECT r.ev_class, seen.depth + 1 FROM seen JOIN pg_depend AS d ON d.refobjid = seen.oid
      AND d.classid = CAST('pg_rewrite' AS regclass) JOIN pg_rewrite AS r ON r.oid = d.objid AND r.ev_class <> seen.oid),
  shown AS (SELECT v.*, max(seen.depth) AS depth FROM seen JOIN pg_class AS v ON v.oid = seen.oid GROUP BY v.oid),
  rights AS (
    SELECT r.relname, r.depth, format('GRANT %s ON %I TO %s', e.privilege_type, r.relname, CASE WHEN e.grantee = 0
        THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(e.grantee)) END) AS text
      FROM (SELECT relname, relacl, 0 AS depth FROM t UNION ALL SELECT relname, relacl, depth FROM shown) AS r,
        aclexplode(r.relacl) AS e
    UNION ALL SELECT t.relname, 0, format('GRANT %s (%I) ON %I TO %s', e.privilege_type, a.attname, t.relname,
        CASE WHEN e.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(e.grantee)) END)
      FROM t JOIN pg_attribute AS a ON a.attrelid = t.oid, aclexplode(a.attacl) AS e)
  SELECT COALESCE((SELECT array_to_string(reloptions, ', ') FROM t), '') AS options,
    ARRAY(SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', t.relname, k.conname, pg_get_constraintdef(k.oid))
        FROM t JOIN pg_constraint AS k ON k.conrelid = t.oid AND k.contype IN ('p', 'u') ORDER BY k.contype)
      || ARRAY(SELECT pg_get_indexdef(i.indexrelid) FROM t JOIN pg_index AS i ON i.indrelid = t.oid
        WHERE NOT EXISTS (SELECT 1 FROM pg_constraint AS k WHERE k.conindid = i.indexrelid) ORDER BY i.indexrelid)
      || ARRAY(SELECT text FROM rights WHERE depth = 0) AS made,
    ARRAY(SELECT text FROM (
      SELECT depth, 1 AS part, format('CREATE VIEW %I AS %s', relname, pg_get_viewdef(oid)) AS text FROM shown
      UNION ALL SELECT depth, 2, text FROM rights WHERE depth > 0) AS texts ORDER BY depth, part) AS views,
    (SELECT string_agg(reason, ', ') FROM (
      SELECT format('the trigger %s', g.tgname) AS reason FROM t JOIN pg_trigger AS g ON g.tgrelid = t.oid AND NOT g.tgisinternal
      UNION ALL SELECT format('the foreign key %s', k.conname) FROM t JOIN pg_constraint AS k ON k.contype = 'f' AND t.oid IN (k.conrelid, k.confrelid)
      UNION ALL SELECT format('the materialized view %s', relname) FROM shown WHERE relkind <> 'v') AS all_reasons) AS refusal`;

const LEAST_ANALYZED = 1_000;

const text = (value: string): Sql => fragment(value);

/**
 * Puts the rows of a table into hash partitions by account and compares their number. Runs in one transaction, as the
 * owner of the tables. Policies are not made here: the transaction that alters a schema ends with them.
 */
export async function divideTable(tx: Transaction, table: string, partitions: number): Promise<number> {
  const [name, whole] = [quote(table), quote(`${table}_undivided`)];
  await tx.run(text(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`));
  const parts = (await tx.get<TableParts>({ text: PARTS, values: [table] })) as TableParts;
  if (parts.refusal !== null) throw new Error(`${table} cannot be partitioned while it has ${parts.refusal}`);
  await tx.run(text(`ALTER TABLE ${name} RENAME TO ${whole}`));
  const kept = ['DEFAULTS', 'CONSTRAINTS', 'GENERATED', 'STORAGE', 'COMPRESSION', 'COMMENTS'];
  const like = kept.map((part) => `INCLUDING ${part}`).join(' ');
  await tx.run(text(`CREATE TABLE ${name} (LIKE ${whole} ${like}) PARTITION BY HASH (account_id)`));
  const options = parts.options === '' ? '' : ` WITH (${parts.options})`;
  for (let i = 0; i < partitions; i++) {
    const values = `FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${i})`;
    await tx.run(text(`CREATE TABLE ${quote(`${table}_p${i}`)} PARTITION OF ${name} ${values}${options}`));
  }
  await tx.run(text(`INSERT INTO ${name} SELECT * FROM ${whole}`));
  const count = async (of: string) => (await tx.get<{ n: number }>(text(`SELECT count(*) AS n FROM ${of}`)))?.n;
  const [before, after] = [await count(whole), await count(name)];
  if (before === undefined || before !== after)
    throw new Error(`${table} has ${before} rows, and its partitions ${after}: nothing of it was changed`);
  await tx.run(text(`DROP TABLE ${whole} CASCADE`));
  for (const statement of [...parts.made, ...parts.views]) await tx.run(text(statement));
  await analyze(tx, name);
  return after;
}

/** Statistics of an empty table are worse than none: it is read from end to end while it fills. */
async function analyze(tx: Transaction, name: string): Promise<void> {
  const filled = await tx.all<{ name: string; n: number }>(
    text(`SELECT CAST(CAST(tableoid AS regclass) AS text) AS name, count(*) AS n FROM ${name} GROUP BY tableoid`),
  );
  for (const partition of filled) if (partition.n >= LEAST_ANALYZED) await tx.run(text(`ANALYZE ${partition.name}`));
}
