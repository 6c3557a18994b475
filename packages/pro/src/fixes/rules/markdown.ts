/**
 * Texts of traces and entries in Markdown, as data: nothing in them ends the fence that they are in, and none is longer than it may be.
 */

const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const longestRun = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([backticks]) => backticks.length));

function cut(text: string, most: number): string {
  const shown = [...text.slice(0, 2 * most)].slice(0, most).join('');
  return shown.length < text.length ? `${shown}…` : shown;
}

/** A block of text in a fence that is longer than any in it. */
export function fenced(
  text: string,
  { language = 'text', most = 2000 }: { language?: string; most?: number } = {},
): string {
  const plain = cut(text.replace(/\r\n?/g, '\n'), most).replace(CONTROLS, (one) =>
    one === '\n' || one === '\t' ? one : '\uFFFD',
  );
  const fence = '`'.repeat(Math.max(3, longestRun(plain) + 1));
  return `${fence}${language}\n${plain}\n${fence}`;
}

/** A short text within a line. */
export function inCode(text: string, most = 200): string {
  const plain = cut(text.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' '), most);
  const ticks = '`'.repeat(longestRun(plain) + 1);
  const space = plain.startsWith('`') || plain.endsWith('`') || plain.trim() === '' ? ' ' : '';
  return `${ticks}${space}${plain}${space}${ticks}`;
}

/** An argument of a command that a shell takes as it is. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Names as the last arguments of a command, which takes none of them for an option. */
export const shellNames = (names: readonly string[]): string =>
  [...(names.some((name) => name.startsWith('-')) ? ['--'] : []), ...names.map(shellWord)].join(' ');
