import { type Glob, globContains, parseGlob } from '@mem-service/contract';
import type { Scope } from '../../../kernel/index.ts';

export type KeyScope = { pattern: string; permission: 'READ' | 'WRITE' | 'READ_WRITE' };
export type KeyGrant = { scopes: readonly KeyScope[]; entity_paths: readonly string[] };
type KeyPermission = 'READ' | 'WRITE';

const globOf = (pattern: string): Glob => parseGlob(pattern) as Glob;
const isAll = (globs: readonly Glob[]) => globs.some(({ kind }) => kind === 'all');

const globsFor = ({ scopes }: KeyGrant, right: KeyPermission): Glob[] =>
  scopes.filter(({ permission }) => permission.includes(right)).map(({ pattern }) => globOf(pattern));

/** Where a key with these scopes may read, or write. */
export function scopeOf(granted: KeyGrant, right: KeyPermission): Scope | undefined {
  const restricted = granted.entity_paths.length === 0 ? [] : [granted.entity_paths.map(globOf)];
  const scope = [globsFor(granted, right), ...restricted].filter((globs) => !isAll(globs));
  return scope.length === 0 ? undefined : scope;
}

/**
 * Returns the first permission granted without the granting key having it. A permission is had where its pattern, or
 * everything that all of them are narrowed to, lies within what the granting key has.
 */
export function firstExcess(
  given: KeyGrant,
  scopes: Readonly<Record<KeyPermission, Scope | undefined>>,
): string | undefined {
  let paths: Glob[] | undefined;
  for (const right of ['READ', 'WRITE'] as const) {
    const had = scopes[right];
    const granted = had ? given.scopes.filter(({ permission }) => permission.includes(right)) : [];
    if (!had || granted.length === 0) continue;
    paths ??= given.entity_paths.map(globOf);
    const narrowed = paths;
    const left = had.filter((globs) => narrowed.length === 0 || !narrowed.every((path) => isHeld(path, globs)));
    if (left.length === 0) continue;
    const excess = granted.find(({ pattern }) => {
      const scope = globOf(pattern);
      return !left.every((globs) => isHeld(scope, globs));
    });
    if (excess) return `${right} on ${excess.pattern}`;
  }
  return undefined;
}

const isHeld = (glob: Glob, globs: readonly Glob[]): boolean => globs.some((one) => globContains(one, glob));
