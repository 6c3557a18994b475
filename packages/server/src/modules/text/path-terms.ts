import { createHash } from 'node:crypto';
import type { Glob } from '@mem-service/contract';

/** Levels of a path that have a term of their own; what lies deeper is found by the last of these. */
const MAX_LEVELS = 16;

const KINDS = { exact: 'e', children: 'c', below: 'b' } as const;

/** 64 bits: a search looks at the paths of what it finds, so that two paths may share a term. */
function termOf(kind: keyof typeof KINDS, branch: string, path: string): string {
  return `${KINDS[kind]}${createHash('sha256').update(`${branch}\n${path}`).digest('hex').slice(0, 16)}`;
}

let last: { branch: string; path: string; terms: readonly string[] } | undefined;

/** What the index knows of the path of an entry: the path itself, the one that it is a child of, and all it lies below. */
export function pathTermsOf(branch: string, path: string): readonly string[] {
  // Entries that are indexed together often lie together.
  if (last?.branch === branch && last.path === path) return last.terms;
  const terms = [termOf('exact', branch, path)];
  const parent = path.lastIndexOf('/');
  if (parent >= 0) terms.push(termOf('children', branch, path.slice(0, parent)));
  let level = 0;
  for (let at = path.indexOf('/'); at >= 0 && ++level <= MAX_LEVELS; at = path.indexOf('/', at + 1))
    terms.push(termOf('below', branch, path.slice(0, at)));
  last = { branch, path, terms };
  return terms;
}

/** The term that all entries at a glob have, and few others; undefined where there is none. */
export function pathTermOf(branch: string, glob: Glob): string | undefined {
  if (glob.kind === 'all') return undefined;
  if (glob.kind !== 'below') return termOf(glob.kind, branch, glob.kind === 'exact' ? glob.path : glob.base);
  return termOf('below', branch, glob.base.split('/').slice(0, MAX_LEVELS).join('/'));
}
