import type { Engine } from './database.ts';

/** Names for column types that both engines understand in their own way. */
export type Ddl = {
  engine: Engine;
  /** Text compared byte by byte, so that order and cursors agree between the engines. */
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
   * before all others, because some of them use tables of other modules. A new migration has none.
   */
  legacy?: number;
  name: string;
  up: (ddl: Ddl) => readonly string[];
};

export type ModuleMigrations = { module: string; migrations: readonly Migration[] };

export type MigrationStep = Migration & { module: string };

/** A row of `schema_migrations`. Without a module it is from the time of the one count. */
export type AppliedMigration = { version: number; module: string | null; module_version: number | null };

/** A program must not touch a schema that it does not know. */
export class SchemaError extends Error {
  override name = 'SchemaError';
}

const nameOf = (module: string, version: number): string => `${module}:${version}`;

/** All migrations in the order in which a new database gets them: within a module by number, modules as they are listed. */
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
  /** Still to be run, in order. */
  pending: MigrationStep[];
  /** Why the program cannot use the database: what it has, and whether a newer program would know it. */
  refusal: { found: string; isNewer: boolean } | undefined;
};

/** What a database lacks, and whether it is ahead of the program. Modules that are not installed are left alone. */
export function compareSchema(applied: readonly AppliedMigration[], steps: readonly MigrationStep[]): SchemaState {
  const named = applied.map((row) => nameApplied(row, steps));
  const done = new Set(named.map(({ module, version }) => nameOf(module, version)));
  const pending = steps.filter(({ module, version }) => !done.has(nameOf(module, version)));
  const newer = named.find(({ module, version }) => version > newestOf(module, steps));
  if (newer) return { pending, refusal: { found: newerThan(newer, steps), isNewer: true } };
  const gap = pending.find(({ module, version }) => done.has(nameOf(module, version + 1)));
  if (!gap) return { pending, refusal: undefined };
  const found = `${nameOf(gap.module, gap.version + 1)}, but not ${nameOf(gap.module, gap.version)} before it`;
  return { pending, refusal: { found, isNewer: false } };
}

type MigrationName = { module: string; version: number };

/** Of a row of the one count: the migration that had its number. */
export function nameApplied({ version, module, module_version }: AppliedMigration, steps: readonly MigrationStep[]) {
  if (module !== null) return { module, version: module_version as number };
  const step = steps.find(({ legacy }) => legacy === version);
  return step ? { module: step.module, version: step.version } : { module: ONE_COUNT, version };
}

/** Stands for the module of a number that is not known. No module has this name. */
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
