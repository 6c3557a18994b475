import { type Database, fragment, type Query, type Row, sql, type Transaction } from '../db/index.ts';
import type { TenantTable } from './tables.ts';

/**
 * Writes the planner statistics that tables declare into SQLite. Without any, SQLite assumes that a table ordered by
 * its key is cheap to scan, and scans a whole account where an index has the few rows of an agent. PostgreSQL collects
 * its own.
 */
export async function keepPlannerFigures(database: Database, tables: readonly TenantTable[]): Promise<void> {
  if (database.dialect.engine !== 'sqlite') return;
  const declared = figuresOf(tables);
  if (same(await listFigures(database.scan), declared)) return;
  await database.alter((tx) => setFigures(tx, declared));
}

type Figure = { tbl: string; idx: string; stat: string };

const figuresOf = (tables: readonly TenantTable[]): Figure[] =>
  tables.flatMap(({ table, planner = {} }) =>
    Object.entries(planner).map(([idx, stat]) => ({ tbl: table, idx, stat })),
  );

const textOf = ({ tbl, idx, stat }: Figure) => `${tbl} ${idx} ${stat}`;

const same = (one: readonly Figure[], other: readonly Figure[]): boolean =>
  one.map(textOf).sort().join('\n') === other.map(textOf).sort().join('\n');

async function listFigures(query: Query): Promise<Figure[]> {
  const isThere = await query.get<Row>(fragment(`SELECT 1 AS found FROM sqlite_schema WHERE name = 'sqlite_stat1'`));
  return isThere ? query.all<Figure>(fragment('SELECT tbl, idx, stat FROM sqlite_stat1 WHERE idx IS NOT NULL')) : [];
}

async function setFigures(tx: Transaction, figures: readonly Figure[]): Promise<void> {
  // Creates the table of statistics if it is missing.
  await tx.run(fragment('ANALYZE sqlite_schema'));
  await tx.run(fragment('DELETE FROM sqlite_stat1'));
  for (const { tbl, idx, stat } of figures)
    await tx.run(sql`INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (${tbl}, ${idx}, ${stat})`);
  // This connection loads the statistics now, the others when they notice the changed schema.
  await tx.run(fragment('ANALYZE sqlite_schema'));
  await tx.run(fragment('CREATE TABLE figures_changed (n INTEGER)'));
  await tx.run(fragment('DROP TABLE figures_changed'));
}
