import type { Engine } from './database.ts';

/** Column types with a name in both engines. */
export type Ddl = {
  engine: Engine;
  /** Text compared byte by byte, so that both engines agree on order and cursors. */
  text: string;
  int: string;
  real: string;
};

/** Migrations only go forward; a released one is never edited. */
export type Migration = {
  /** Counts from 1 within its module. */
  version: number;
  /**
   * Its number from the time when all modules shared one count. Such migrations run in the order of these numbers and
   * before all others, because some use tables of other modules. New migrations have none.
   */
  legacy?: number;
  name: string;
  up: (ddl: Ddl) => readonly string[];
};

export type ModuleMigrations = { module: string; migrations: readonly Migration[] };

export type MigrationStep = Migration & { module: string };

/** A row of `schema_migrations`. The module is null in rows from the time of the shared count. */
export type AppliedMigration = { version: number; module: string | null; module_version: number | null };

/** The program does not know the schema of the database and must not use it. */
export class SchemaError extends Error {
  override name = 'SchemaError';
}

const nameOf = (module: string, version: number): string => `${module}:${version}`;

/** All migrations in the order for a new database: by module in the given order, by number within a module. */
export function orderMigrations(modules: readonly ModuleMigrations[]): MigrationStep[] {
  const steps = modules.flatMap(({ module, migrations }) =>
    migrations.map((migration, i): MigrationStep => {
      if (migration.version !== i + 1) throw new Error(`the migrations of ${module} must be numbered 1, 2, 3, …`);
      return { ...migration, module };
    }),
  );
  const names = new Set(steps.map(({ module, version }) => nameOf(module, version)));
  if (names.size < steps.length) throw new Error('two modules have the same name');
  const early = steps.filter(({ legacy }) => legacy !== undefined);
  return [
    ...early.sort((a, b) => (a.legacy as number) - (b.legacy as number)),
    ...steps.filter(({ legacy }) => legacy === undefined),
  ];
}

export type SchemaState = {
  /** Migrations that have not run yet, in order. */
  pending: MigrationStep[];
  /** Why the program cannot use the database: the unknown migration, and whether a newer program has it. */
  refusal: { found: string; isNewer: boolean } | undefined;
  /** Modules that are not installed, but whose migrations ran. */
  absent_modules: string[];
};

/**
 * Compares a database with the program: missing migrations, and unknown ones. Those of modules that are not installed
 * are no reason for a refusal.
 */
export function compareSchema(applied: readonly AppliedMigration[], steps: readonly MigrationStep[]): SchemaState {
  const named = applied.map((row) => nameApplied(row, steps));
  const done = new Set(named.map(({ module, version }) => nameOf(module, version)));
  const pending = steps.filter(({ module, version }) => !done.has(nameOf(module, version)));
  const installed = new Set([ONE_COUNT, ...steps.map(({ module }) => module)]);
  const absent_modules = [...new Set(named.map(({ module }) => module))].filter((module) => !installed.has(module));
  const newer = named.find(({ module, version }) => version > newestOf(module, steps));
  if (newer) return { pending, absent_modules, refusal: { found: newerThan(newer, steps), isNewer: true } };
  const gap = pending.find(({ module, version }) => done.has(nameOf(module, version + 1)));
  if (!gap) return { pending, absent_modules, refusal: undefined };
  const found = `${nameOf(gap.module, gap.version + 1)}, but not ${nameOf(gap.module, gap.version)} before it`;
  return { pending, absent_modules, refusal: { found, isNewer: false } };
}

type MigrationName = { module: string; version: number };

/** Returns the migration of a row; a row of the shared count is found by its number. */
export function nameApplied({ version, module, module_version }: AppliedMigration, steps: readonly MigrationStep[]) {
  if (module !== null) return { module, version: module_version as number };
  const step = steps.find(({ legacy }) => legacy === version);
  return step ? { module: step.module, version: step.version } : { module: ONE_COUNT, version };
}

/** The module of an unknown number of the shared count. No module has this name. */
const ONE_COUNT = '';

const newestOf = (module: string, steps: readonly MigrationStep[]): number => {
  if (module === ONE_COUNT) return Math.max(0, ...steps.map(({ legacy = 0 }) => legacy));
  const versions = steps.filter((step) => step.module === module).map(({ version }) => version);
  return versions.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...versions);
};

function newerThan({ module, version }: MigrationName, steps: readonly MigrationStep[]): string {
  const known = newestOf(module, steps);
  return module === ONE_COUNT
    ? `schema ${version}, but this version of mem knows only ${known}`
    : `${nameOf(module, version)}, but this version of mem knows only ${nameOf(module, known)}`;
}
