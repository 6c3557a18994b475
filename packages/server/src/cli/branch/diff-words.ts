import { UsageError } from '../failure.ts';

/** What a branch changed since it was last in common with another, or what differs between two states. */
export type DiffWords =
  | { kind: 'changes'; name: string | undefined; against: string | undefined }
  | { kind: 'states'; from: string; to: string | undefined };

/** A tag, or a branch at a place in the log or a time: it can only be compared as it is. */
export const isPastState = (ref: string): boolean => ref.startsWith('tags/') || ref.includes('@');

/** Reads the words after `mem diff`. */
export function diffOf(a: string | undefined, b: string | undefined): DiffWords {
  if (a === undefined) return { kind: 'changes', name: undefined, against: undefined };
  if (b !== undefined) return { kind: 'states', from: withoutDots(a), to: withoutDots(b) };
  const [, left = '', dots = '', right = ''] = /^(.*?)(\.{2,3})(.*)$/.exec(a) ?? [];
  if (dots === '')
    return isPastState(a)
      ? { kind: 'states', from: a, to: undefined }
      : { kind: 'changes', name: a, against: undefined };
  if (left === '') throw new UsageError(`name both sides: mem diff <a>${dots}<b>`);
  const given = right === '' ? undefined : right;
  if (dots === '..') return { kind: 'states', from: left, to: given };
  if ([left, right].some(isPastState))
    throw new UsageError('<a>...<b> compares two branches: for tags and earlier states, give <a>..<b>');
  return { kind: 'changes', name: given, against: left };
}

function withoutDots(ref: string): string {
  if (!ref.includes('..')) return ref;
  throw new UsageError('give two states, or one word with .. between them');
}
