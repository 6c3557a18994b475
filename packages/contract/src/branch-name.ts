import { utf8Length } from './glob.ts';

export const MAX_BRANCH_NAME_BYTES = 200;

// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
const RESERVED = /[@~*?\s\u0000-\u001f\u007f-\u009f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
const RESERVED_IN_TAG = /[@\s\u0000-\u001f\u007f-\u009f]/;

/** What is wrong with the name of a new branch, or undefined. */
export function branchNameProblem(name: string): string | undefined {
  const problem = nameProblem(name);
  if (problem) return problem;
  if (RESERVED.test(name)) return 'must not hold @, ~, *, ?, white space or control characters';
  const segments = name.split('/');
  if (segments.some((segment) => segment === '' || segment === '.'))
    return 'must not have a segment that is empty or .';
  if (name === 'main') return 'must not be main, which always exists';
  return segments[0] === 'tags' ? 'must not be below tags/, where the tags are' : undefined;
}

/** What is wrong with the name of a new tag, or undefined. */
export const tagNameProblem = (name: string): string | undefined =>
  nameProblem(name) ?? (RESERVED_IN_TAG.test(name) ? 'must not hold @, white space or control characters' : undefined);

/** Names stand in addresses, after options and on both sides of `..`, which is between two states. */
function nameProblem(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (name.length > MAX_BRANCH_NAME_BYTES || utf8Length(name) > MAX_BRANCH_NAME_BYTES)
    return `is longer than ${MAX_BRANCH_NAME_BYTES} bytes`;
  if (!name.isWellFormed()) return 'must be well-formed Unicode';
  if (name.startsWith('-')) return 'must not begin with -';
  return name.includes('..') ? 'must not hold ..' : undefined;
}
