import type { z } from 'zod';

/** An issue before it has a message, with the input that caused it. */
type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};

const kindOf = (expected: string): string => KINDS[expected] ?? expected;

function kindOfInput(input: unknown): string {
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'number' && !Number.isFinite(input)) return String(input);
  return typeof input === 'boolean' ? String(input) : kindOf(typeof input);
}

const listed = (words: readonly string[], last: string): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

type SizeIssue = { origin: string; inclusive?: boolean | undefined };

function tooBig({ origin, inclusive }: SizeIssue, maximum: number | bigint): string {
  if (origin === 'string') return `must not be longer than ${maximum} characters`;
  if (origin === 'array' || origin === 'set') return `must not have more than ${maximum} items`;
  return inclusive === false ? `must be below ${maximum}` : `must be at most ${maximum}`;
}

function tooSmall({ origin, inclusive }: SizeIssue, minimum: number | bigint): string {
  const isCounted = origin === 'string' || origin === 'array' || origin === 'set';
  if (isCounted && Number(minimum) <= 1) return 'must not be empty';
  if (isCounted) return `must have at least ${minimum} ${origin === 'string' ? 'characters' : 'items'}`;
  return inclusive === false ? `must be above ${minimum}` : `must be at least ${minimum}`;
}

const FORMS: Readonly<Record<string, string>> = {
  guid: 'must be a UUID such as 3f0c1c1e-5f0a-4b53-9d2e-6f6f2b6f7a10',
  uuid: 'must be a UUID such as 3f0c1c1e-5f0a-4b53-9d2e-6f6f2b6f7a10',
  date: 'must be a day such as 2026-01-31',
  datetime: 'must be a time with its offset such as 2026-01-31T12:00:00Z',
};

function noOption({
  errors = [],
  input,
  options,
}: {
  errors?: readonly (readonly z.core.$ZodIssue[])[];
  input?: unknown;
  /** What the member that names the form may be. */
  options?: readonly unknown[];
}): string {
  if (input === undefined) return 'is required';
  if (options && options.length > 0) return `must be one of ${options.join(', ')}`;
  const kinds = errors.flatMap(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? [kindOf(first.expected)] : [],
  );
  const isPlain = kinds.length === errors.length && kinds.length > 0;
  return isPlain
    ? `must be ${listed([...new Set(kinds)], 'or')}, not ${kindOfInput(input)}`
    : 'has none of the forms that are allowed here';
}

/** Says in plain English what is allowed. Schemas with a message of their own keep it. */
export const plainIssue: z.core.$ZodErrorMap = (issue: RawIssue): string | undefined => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${kindOf(issue.expected)}, not ${kindOfInput(issue.input)}`;
    case 'too_big':
      return tooBig(issue, issue.maximum);
    case 'too_small':
      return tooSmall(issue, issue.minimum);
    case 'invalid_value': {
      if (issue.input === undefined) return 'is required';
      const values = issue.values.map(String);
      const allowed = values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;
      // A list of what is allowed is not among it.
      return Array.isArray(issue.input) ? `${allowed}, not a list` : allowed;
    }
    case 'invalid_format':
      return FORMS[issue.format] ?? 'does not have the form that is expected here';
    case 'invalid_union':
      return noOption(issue as never);
    case 'invalid_key':
    case 'invalid_element':
      return 'holds something that is not allowed there';
    default:
      return undefined;
  }
};
