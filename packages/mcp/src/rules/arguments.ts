import type { JsonObject } from '../session.ts';

/** Types that models often put in quotes. */
const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  integer: (value) => typeof value === 'number',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/**
 * Converts quoted arguments to the expected type: `"5"` becomes 5 where a number is expected. Text is unchanged where
 * text is allowed.
 */
export function unquoted(args: JsonObject, wanted: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const fits = KINDS[wanted[name]?.type as string];
      if (typeof value !== 'string' || !fits) return [name, value];
      const meant = parsed(value);
      return [name, fits(meant) ? meant : value];
    }),
  );
}

/** Text that holds an object or a list, as models often write JSON; any other text is itself. */
export const isJsonText = (value: unknown): value is string => {
  const meant = typeof value === 'string' ? parsed(value) : undefined;
  return typeof meant === 'object' && meant !== null;
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Rewrites a validation message in plain words. */
export function plainMessage(message: string): string {
  const kind = /^Invalid input: expected (\w+), received (\w+)$/.exec(message);
  if (kind) {
    const [, expected = '', received = ''] = kind;
    return received === 'undefined' ? 'is required' : `must be ${NAMES[expected] ?? expected}`;
  }
  const options = /^Invalid option: expected one of (.+)$/.exec(message)?.[1];
  if (options) return `must be one of ${options.replaceAll('"', '').replaceAll('|', ', ')}`;
  return message;
}
