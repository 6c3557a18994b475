import { createHash } from 'node:crypto';

/** The text of searches varies with their filters; beyond this number, statements are unnamed. */
const MAX_NAMED = 1000;

export type PreparedText = { name?: string; text: string };

const known = new Map<string, { name: string; text: string }>();

const numbered = (text: string): string => {
  let n = 0;
  return text.replace(/\?/g, () => `$${++n}`);
};

/**
 * Named, so that the server parses each statement once per connection. The name follows from the text: behind a pooler
 * two servers may meet on one connection, and must not mean different statements by one name.
 */
export function prepare(text: string): PreparedText {
  const found = known.get(text);
  if (found) return found;
  const statement = {
    name: `mem_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`,
    text: numbered(text),
  };
  if (known.size >= MAX_NAMED) return { text: statement.text };
  known.set(text, statement);
  return statement;
}

/** The same without a name, for connections that may lead to another server each time. */
export function withoutName(text: string): PreparedText {
  return { text: known.get(text)?.text ?? numbered(text) };
}
