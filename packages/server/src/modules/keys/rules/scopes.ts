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

/** Returns the first permission granted without the granting key having it. */
export function firstExcess(
  given: KeyGrant,
  scopes: Readonly<Record<KeyPermission, Scope | undefined>>,
): string | undefined {
  for (const right of ['READ', 'WRITE'] as const)
    for (const { pattern } of given.scopes.filter(({ permission }) => permission.includes(right))) {
      const narrowed = [pattern, ...(given.entity_paths.length === 0 ? [] : given.entity_paths)].map(globOf);
      const isHad = (scopes[right] ?? []).every((globs) => isWithin(narrowed, globs));
      if (!isHad) return `${right} on ${pattern}`;
    }
  return undefined;
}

/** Whether the scope, or everything it is narrowed to, lies within the globs. */
function isWithin([scope, ...narrowing]: readonly Glob[], globs: readonly Glob[]): boolean {
  const held = (glob: Glob) => globs.some((one) => globContains(one, glob));
  return held(scope as Glob) || (narrowing.length > 0 && narrowing.every(held));
}
