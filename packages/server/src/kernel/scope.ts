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

/** The paths on which a key may do something: in each list, at least one glob must cover the path. */
export type Scope = readonly (readonly Glob[])[];

/** The paths that a caller may read; undefined means all. */
export const readScope = ({ key }: Caller): Scope | undefined => key?.read;

export const isInScope = (scope: Scope | undefined, path: string): boolean =>
  scope === undefined || scope.every((globs) => globs.some((glob) => matchesGlob(glob, path)));

/** True when the scope covers every path of the glob. */
export const scopeCovers = (scope: Scope | undefined, glob: Glob): boolean =>
  scope === undefined || scope.every((globs) => globs.some((one) => globContains(one, glob)));

/** True when the scope covers at least one path of the glob. */
export const scopeOverlaps = (scope: Scope | undefined, glob: Glob): boolean =>
  scope === undefined || scopeGlobs(scope).some((one) => intersectGlobs(one, glob) !== undefined);

const flat = new WeakMap<Scope, readonly Glob[]>();

/**
 * Merges the lists of a scope into one list, in which no glob covers another. Cached by scope: it does not change while
 * the key is held.
 */
export function scopeGlobs(scope: Scope): readonly Glob[] {
  let globs = flat.get(scope);
  if (!globs) {
    globs = withoutContainedGlobs(scope.reduce<readonly Glob[]>(intersectGlobLists, [{ kind: 'all' }]));
    flat.set(scope, globs);
  }
  return globs;
}

/** Exact paths are looked up with one condition: one condition each would take time in proportion to their number. */
export const anyGlobCondition = (globs: readonly Glob[], column = 'entity_path'): Sql => {
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

/** A scope as SQL conditions. */
export const scopeConditions = (scope: Scope | undefined, column = 'entity_path'): Sql[] =>
  scope === undefined ? [] : [anyGlobCondition(scopeGlobs(scope), column)];

/** SQL conditions for the paths of a glob that the scope covers. */
export function scopedPathConditions(scope: Scope | undefined, glob: Glob | undefined, column = 'entity_path'): Sql[] {
  if (scope === undefined) return globConditions(glob, column);
  return [anyGlobCondition(intersectGlobLists(scopeGlobs(scope), [glob ?? { kind: 'all' }]), column)];
}

type PathRange = { from: Buffer; to: Buffer; globs: Glob[] };

/**
 * The same as a list of index ranges in path order. The ranges do not overlap: each begins after the one before it has
 * ended.
 */
export function scopedPathRanges(scope: Scope | undefined, glob: Glob | undefined): Sql[][] {
  return scope === undefined ? [rangeConditions(glob)] : pathRanges(scopedGlobs(scope, glob && [glob]));
}

/** The globs that both cover, none of which covers another. */
export function scopedGlobs(scope: Scope | undefined, globs: readonly Glob[] | undefined): readonly Glob[] {
  const wanted: readonly Glob[] = globs ?? [{ kind: 'all' }];
  return scope === undefined ? withoutContainedGlobs(wanted) : intersectGlobLists(scopeGlobs(scope), wanted);
}

/** Globs, none of which covers another, as ranges of paths that do not overlap. */
export function pathRanges(globs: readonly Glob[]): Sql[][] {
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

/** A single path is a range too: with an equality PostgreSQL does not see that rows come in the order of the path, and sorts them all. */
const rangeConditions = (glob: Glob | undefined): Sql[] =>
  glob?.kind === 'exact' ? [sql`entity_path >= ${glob.path}`, sql`entity_path <= ${glob.path}`] : globConditions(glob);

function conditionsOf({ from, to, globs }: PathRange): Sql[] {
  if (globs.length === 1) return rangeConditions(globs[0]);
  return [
    sql`entity_path >= ${from.toString()}`,
    sql`entity_path < ${to.toString()}`,
    anyGlobCondition(globs, 'entity_path'),
  ];
}
