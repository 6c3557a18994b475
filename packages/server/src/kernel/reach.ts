import { contains, type Glob, globRange, matchesGlob, meet, meetAll, widest } from '@mem-service/contract';
import { fragment, joinSql, type Sql, sql } from '../db/index.ts';
import type { Caller } from './caller.ts';
import { pathWithin } from './path-filter.ts';

/** Where a key may do something: of each list, at least one glob has to cover the path. */
export type Reach = readonly (readonly Glob[])[];

/** Where a caller may read; everywhere where it is left out. */
export const readReach = ({ key }: Caller): Reach | undefined => key?.read;

export const reaches = (reach: Reach | undefined, path: string): boolean =>
  reach === undefined || reach.every((globs) => globs.some((glob) => matchesGlob(glob, path)));

/** Whether everything that a glob covers is within reach. */
export const covers = (reach: Reach | undefined, glob: Glob): boolean =>
  reach === undefined || reach.every((globs) => globs.some((one) => contains(one, glob)));

/** Whether something of a glob is within reach. */
export const touches = (reach: Reach | undefined, glob: Glob): boolean =>
  reach === undefined || globsOf(reach).some((one) => meet(one, glob) !== undefined);

const flat = new WeakMap<Reach, readonly Glob[]>();

/** The same as one list, none of which lies within another. A key has the same reach for as long as it is held. */
export function globsOf(reach: Reach): readonly Glob[] {
  let globs = flat.get(reach);
  if (!globs) {
    globs = widest(reach.reduce<readonly Glob[]>(meetAll, [{ kind: 'all' }]));
    flat.set(reach, globs);
  }
  return globs;
}

/** Paths that are named are looked up together: one after the other would take as long as there are of them. */
const anyOf = (globs: readonly Glob[], column: string): Sql => {
  const paths = globs.flatMap((glob) => (glob.kind === 'exact' ? [sql`${glob.path}`] : []));
  const named = paths.length < 2 ? [] : [sql`${fragment(column)} IN (${joinSql(paths, ', ')})`];
  const others = named.length === 0 ? globs : globs.filter(({ kind }) => kind !== 'exact');
  const each = others.map((glob) => {
    const conditions = pathWithin(glob, column);
    return conditions.length === 0 ? sql`1 = 1` : sql`(${joinSql(conditions, ' AND ')})`;
  });
  const any = [...named, ...each];
  return any.length === 0 ? sql`1 = 0` : sql`(${joinSql(any, ' OR ')})`;
};

/** As conditions of a statement. */
export const withinReach = (reach: Reach | undefined, column = 'entity_path'): Sql[] =>
  reach === undefined ? [] : [anyOf(globsOf(reach), column)];

/** Paths of a glob that are within reach. */
export function pathsWithin(reach: Reach | undefined, glob: Glob | undefined, column = 'entity_path'): Sql[] {
  if (reach === undefined) return pathWithin(glob, column);
  return [anyOf(meetAll(globsOf(reach), [glob ?? { kind: 'all' }]), column)];
}

type Stretch = { from: Buffer; to: Buffer; globs: Glob[] };

/**
 * The same, as one condition after the other in the order of paths: each is a range of an index, and none begins before
 * the one ahead of it has ended.
 */
export function stretchesWithin(reach: Reach | undefined, glob: Glob | undefined): Sql[][] {
  if (reach === undefined) return [pathWithin(glob)];
  const globs = meetAll(globsOf(reach), [glob ?? { kind: 'all' }]);
  if (globs.some(({ kind }) => kind === 'all')) return [[]];
  const sorted = globs.map(stretchOf).sort((a, b) => Buffer.compare(a.from, b.from));
  const joined: Stretch[] = [];
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

function stretchOf(glob: Glob): Stretch {
  const range = globRange(glob) ?? {
    from: (glob as { path: string }).path,
    to: `${(glob as { path: string }).path}\0`,
  };
  return { from: Buffer.from(range.from), to: Buffer.from(range.to), globs: [glob] };
}

function conditionsOf({ from, to, globs }: Stretch): Sql[] {
  if (globs.length === 1) return pathWithin(globs[0]);
  return [sql`entity_path >= ${from.toString()}`, sql`entity_path < ${to.toString()}`, anyOf(globs, 'entity_path')];
}
