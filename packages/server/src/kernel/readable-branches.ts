import { type Dialect, fragment, type Sql, sql } from '../db/index.ts';
import type { Caller } from './caller.ts';
import type { Services } from './module.ts';
import { MAIN_BRANCH } from './view.ts';

type BranchReader = { caller: Caller; services: Pick<Services, 'branchAccess'> };

/** The branches that a caller may read; undefined where it may read all of these. What is on `main` needs no look-up. */
export function readableBranches(
  { caller, services }: BranchReader,
  among: readonly string[],
): undefined | Promise<ReadonlySet<string> | undefined> {
  if (caller.key === undefined || among.every((branch) => branch === MAIN_BRANCH)) return undefined;
  const asked = services.branchAccess.readable(caller);
  return asked?.then((readable) => (among.every((branch) => readable.has(branch)) ? undefined : readable));
}

/** Those of the rows that are on branches that the caller may read. */
export async function readableRows<T extends { branch: string }>(
  reader: BranchReader,
  rows: readonly T[],
): Promise<readonly T[]> {
  const asked = readableBranches(
    reader,
    rows.map(({ branch }) => branch),
  );
  const readable = asked && (await asked);
  return readable ? rows.filter(({ branch }) => readable.has(branch)) : rows;
}

/** The columns of a table that name branches. */
type OfBranches<T> = { columns: readonly (keyof T & string)[]; dialect: Dialect };

/**
 * Lists rows of branches that the caller may read: once more with a condition, where the first list has others.
 */
export async function listReadable<T extends object, L extends { rows: readonly T[] }>(
  reader: BranchReader,
  { columns, dialect }: OfBranches<T>,
  list: (filters: readonly Sql[]) => Promise<L>,
): Promise<L> {
  const found = await list([]);
  const asked = readableBranches(
    reader,
    found.rows.flatMap((row) => columns.map((column) => row[column] as string)),
  );
  const readable = asked && (await asked);
  if (!readable) return found;
  const names = [...readable];
  return list(columns.map((column) => sql`${fragment(column)} IN (SELECT value FROM ${dialect.texts(names)})`));
}
