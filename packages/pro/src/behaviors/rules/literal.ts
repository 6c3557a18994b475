/** A part of a text, and a regular expression that finds it. */
export type LiteralPart = { shown: string; pattern: string };

const MAX_CHARS = 80;
const MIN_CHARS = 4;

/** The longest part of a text without numbers and ids, which differ from one error to the next. */
export function literalIn(text: string): LiteralPart | undefined {
  const parts = text
    .slice(0, 2000)
    .replace(/\S+/g, (word) => (/\d/.test(word) ? '\n' : word))
    .split(/[\n\r]+/)
    .map((part) => part.trim().slice(0, MAX_CHARS).trim());
  const longest = parts.reduce((best, part) => (part.length > best.length ? part : best), '');
  if (longest.length < MIN_CHARS || !longest.isWellFormed()) return undefined;
  return { shown: longest, pattern: longest.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') };
}
