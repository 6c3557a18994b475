import { type Glob, matchesGlob } from './glob.ts';

/** Whether `outer` covers every path that `inner` covers. */
export function globContains(outer: Glob, inner: Glob): boolean {
  if (outer.kind === 'all') return true;
  if (inner.kind === 'all') return false;
  if (inner.kind === 'exact') return matchesGlob(outer, inner.path);
  if (outer.kind === 'exact') return false;
  if (outer.kind === 'children') return inner.kind === 'children' && inner.base === outer.base;
  return inner.base === outer.base || matchesGlob(outer, inner.base);
}

/**
 * The paths that both globs cover. This is always one of the two or nothing, because a star is allowed only at the end.
 */
export function intersectGlobs(a: Glob, b: Glob): Glob | undefined {
  if (globContains(a, b)) return b;
  return globContains(b, a) ? a : undefined;
}

/** Intersects every pair, and drops globs that are contained in another. */
export function intersectGlobLists(left: readonly Glob[], right: readonly Glob[]): Glob[] {
  return withoutContainedGlobs(left.flatMap((a) => right.flatMap((b) => intersectGlobs(a, b) ?? [])));
}

/** Drops every glob that another one contains; of equal globs the first is kept. */
export function withoutContainedGlobs(globs: readonly Glob[]): Glob[] {
  return globs.filter((glob, i) =>
    globs.every((other, j) => i === j || !globContains(other, glob) || (globContains(glob, other) && i < j)),
  );
}

export function globText(glob: Glob): string {
  if (glob.kind === 'all') return '*';
  if (glob.kind === 'exact') return glob.path;
  return `${glob.base}/${glob.kind === 'children' ? '*' : '**'}`;
}
