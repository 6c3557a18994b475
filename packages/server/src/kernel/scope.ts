import {
  type Glob,
  globContains,
  globRange,
  intersectGlobLists,
  intersectGlobs,
  matchesGlob,
  withoutContainedGlobs,
} from '@mem-service/contract';
import { fragment, joinSql, type Sql, sql } from '../db/index.ts';
import type { Caller } from './caller.ts';
import { globConditions } from './path-filter.ts';

/** Where a key may do something: of each list, at least one glob has to cover the path. */
export type Scope = readonly (readonly Glob[])[];

/** Where a caller may read; everywhere where it is left out. */
export const readScope = ({ key }: Caller): Scope | undefined => key?.read;

export const isInScope = (scope: Scope | undefined, path: string): boolean =>
  scope === undefined || scope.every((globs) => globs.some((glob) => matchesGlob(glob, path)));

/** Whether everything that a glob covers is within reach. */
export const scopeCovers = (scope: Scope | undefined, glob: Glob): boolean =>
  scope === undefined || scope.every((globs) => globs.some((one) => globContains(one, glob)));

/** Whether something of a glob is within reach. */
export const scopeOverlaps = (scope: Scope | undefined, glob: Glob): boolean =>
  scope === undefined || scopeGlobs(scope).some((one) => intersectGlobs(one, glob) !== undefined);

const flat = new WeakMap<Scope, readonly Glob[]>();

/** The same as one list, none of which lies within another. A key has the same reach for as long as it is held. */
export function scopeGlobs(scope: Scope): readonly Glob[] {
  let globs = flat.get(scope);
  if (!globs) {
    globs = withoutContainedGlobs(scope.reduce<readonly Glob[]>(intersectGlobLists, [{ kind: 'all' }]));
    flat.set(scope, globs);
  }
  return globs;
}

/** Paths that are named are looked up together: one after the other would take as long as there are of them. */
const anyGlobCondition = (globs: readonly Glob[], column: string): Sql => {
  const paths = globs.flatMap((glob) => (glob.kind === 'exact' ? [sql`${glob.path}`] : []));
  const named = paths.length < 2 ? [] : [sql`${fragment(column)} IN (${joinSql(paths, ', ')})`];
  const others = named.length === 0 ? globs : globs.filter(({ kind }) => kind !== 'exact');
  const each = others.map((glob) => {
    const conditions = globConditions(glob, column);
    return conditions.length === 0 ? sql`1 = 1` : sql`(${joinSql(conditions, ' AND ')})`;
  });
  const any = [...named, ...each];
  return any.length === 0 ? sql`1 = 0` : sql`(${joinSql(any, ' OR ')})`;
};

/** As conditions of a statement. */
export const scopeConditions = (scope: Scope | undefined, column = 'entity_path'): Sql[] =>
  scope === undefined ? [] : [anyGlobCondition(scopeGlobs(scope), column)];

/** Paths of a glob that are within reach. */
export function scopedPathConditions(scope: Scope | undefined, glob: Glob | undefined, column = 'entity_path'): Sql[] {
  if (scope === undefined) return globConditions(glob, column);
  return [anyGlobCondition(intersectGlobLists(scopeGlobs(scope), [glob ?? { kind: 'all' }]), column)];
}

type PathRange = { from: Buffer; to: Buffer; globs: Glob[] };

/**
 * The same, as one condition after the other in the order of paths: each is a range of an index, and none begins before
 * the one ahead of it has ended.
 */
export function scopedPathRanges(scope: Scope | undefined, glob: Glob | undefined): Sql[][] {
  if (scope === undefined) return [globConditions(glob)];
  const globs = intersectGlobLists(scopeGlobs(scope), [glob ?? { kind: 'all' }]);
  if (globs.some(({ kind }) => kind === 'all')) return [[]];
  const sorted = globs.map(pathRangeOf).sort((a, b) => Buffer.compare(a.from, b.from));
  const joined: PathRange[] = [];
  for (const next of sorted) {
    const last = joined.at(-1);
    if (!last || Buffer.compare(next.from, last.to) >= 0) joined.push(next);
    else {
      last.globs.push(...next.globs);
      if (Buffer.compare(next.to, last.to) > 0) last.to = next.to;
    }
  }
  return joined.map(conditionsOf);
}

function pathRangeOf(glob: Glob): PathRange {
  const range = globRange(glob) ?? {
    from: (glob as { path: string }).path,
    to: `${(glob as { path: string }).path}\0`,
  };
  return { from: Buffer.from(range.from), to: Buffer.from(range.to), globs: [glob] };
}

function conditionsOf({ from, to, globs }: PathRange): Sql[] {
  if (globs.length === 1) return globConditions(globs[0]);
  return [
    sql`entity_path >= ${from.toString()}`,
    sql`entity_path < ${to.toString()}`,
    anyGlobCondition(globs, 'entity_path'),
  ];
}
