import { type Database, fragment, type Query, type Row, sql, type Transaction } from '../db/index.ts';
import type { TenantTable } from './tables.ts';

/**
 * Gives the planner of SQLite the figures that tables declare. Without any it takes tables that are ordered by their key for
 * cheap to walk, and walks a whole account where an index has the few rows of an agent: 20 of 200,000 events take 2.7 ms so,
 * and 0.07 with figures (bench/inside/tricks.mjs). PostgreSQL counts by itself.
 */
export async function keepPlannerFigures(database: Database, tables: readonly TenantTable[]): Promise<void> {
  if (database.dialect.engine !== 'sqlite') return;
  const declared = figuresOf(tables);
  if (same(await listFigures(database.read), declared)) return;
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
