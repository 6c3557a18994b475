import { contains, type Glob, parseGlob } from '@mem-service/contract';

export type Scope = { pattern: string; permission: 'READ' | 'WRITE' | 'READ_WRITE' };
export type Granted = { scopes: readonly Scope[]; entity_paths: readonly string[] };
type Right = 'READ' | 'WRITE';
/** Of each list, at least one glob has to cover a path; nothing where the whole account is covered. */
type Reach = readonly (readonly Glob[])[];

const globOf = (pattern: string): Glob => parseGlob(pattern) as Glob;
const isAll = (globs: readonly Glob[]) => globs.some(({ kind }) => kind === 'all');

const globsFor = ({ scopes }: Granted, right: Right): Glob[] =>
  scopes.filter(({ permission }) => permission.includes(right)).map(({ pattern }) => globOf(pattern));

/** Where somebody with these scopes may read, or write. */
export function reachOf(granted: Granted, right: Right): Reach | undefined {
  const restricted = granted.entity_paths.length === 0 ? [] : [granted.entity_paths.map(globOf)];
  const reach = [globsFor(granted, right), ...restricted].filter((globs) => !isAll(globs));
  return reach.length === 0 ? undefined : reach;
}

/** The first thing that would be given away without being had. */
export function excess(given: Granted, reaches: Readonly<Record<Right, Reach | undefined>>): string | undefined {
  for (const right of ['READ', 'WRITE'] as const)
    for (const { pattern } of given.scopes.filter(({ permission }) => permission.includes(right))) {
      const narrowed = [pattern, ...(given.entity_paths.length === 0 ? [] : given.entity_paths)].map(globOf);
      const isHad = (reaches[right] ?? []).every((globs) => isWithin(narrowed, globs));
      if (!isHad) return `${right} on ${pattern}`;
    }
  return undefined;
}

/** The scope lies within, or everything that it is narrowed to does. */
function isWithin([scope, ...narrowing]: readonly Glob[], globs: readonly Glob[]): boolean {
  const held = (glob: Glob) => globs.some((one) => contains(one, glob));
  return held(scope as Glob) || (narrowing.length > 0 && narrowing.every(held));
}
