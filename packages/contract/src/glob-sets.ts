import { type Glob, matchesGlob } from './glob.ts';

/** Whether everything that one glob covers, the other covers too. */
export function globContains(outer: Glob, inner: Glob): boolean {
  if (outer.kind === 'all') return true;
  if (inner.kind === 'all') return false;
  if (inner.kind === 'exact') return matchesGlob(outer, inner.path);
  if (outer.kind === 'exact') return false;
  if (outer.kind === 'children') return inner.kind === 'children' && inner.base === outer.base;
  return inner.base === outer.base || matchesGlob(outer, inner.base);
}

/** What both cover. It is always one of the two, or nothing: no glob has a star but at its end. */
export function intersectGlobs(a: Glob, b: Glob): Glob | undefined {
  if (globContains(a, b)) return b;
  return globContains(b, a) ? a : undefined;
}

/** Every pair that has something in common, without what lies within another. */
export function intersectGlobLists(left: readonly Glob[], right: readonly Glob[]): Glob[] {
  return withoutContainedGlobs(left.flatMap((a) => right.flatMap((b) => intersectGlobs(a, b) ?? [])));
}

/** Of globs that cover each other the first; of others those that lie within none. */
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
