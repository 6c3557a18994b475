import { FileRefused } from './file-refused.ts';

/** A page of a text that has none of its own. */
const PAGE_CHARS = 3000;
/** A part ends at the end of a paragraph, a line or a word, if one is in the last third of it. */
const LAST_PART = 1 / 3;
/** So much of a page is cleaned at once. */
const STEP_CHARS = 16 * 1024;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of a file of plain text, which has to be UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new FileRefused('not_text', 'the content is not UTF-8');
  }
  if (text.includes('\0')) throw new FileRefused('not_text', 'the content has null bytes');
  return text;
}

/** Divides a text at its form feeds, or else into pages of about 3,000 characters. Of too many pages it has one more than this. */
export const pagesOf = (text: string, most: number): string[] =>
  text.includes('\f') ? text.split('\f', most + 1) : cutText(text, PAGE_CHARS);

/** Divides a text into parts that are no longer than this. Together they are the text again. */
export function cutText(text: string, most: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfPart(text, at, most);
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

function endOfPart(text: string, at: number, mostChars: number): number {
  const most = at + mostChars;
  if (most >= text.length) return text.length;
  const least = most - Math.floor(mostChars * LAST_PART);
  const lastPart = text.slice(least, most);
  for (const gap of ['\n\n', '\n', ' ']) {
    const found = lastPart.lastIndexOf(gap);
    if (found >= 0) return least + found + gap.length;
  }
  // A pair of surrogates stays together, and so does the end of a line.
  const isPair = /[\ud800-\udbff\r]/.test(text.charAt(most - 1));
  return isPair ? most - 1 : most;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

const cleanPart = (text: string): string => text.replace(/\r\n?/g, '\n').replace(CONTROLS, '').toWellFormed();

/** What databases and readers can take: no control characters but tabs and new lines, no half characters. Made in steps. */
export function* cleanPages(pages: readonly string[]): Generator<void, string[]> {
  const clean: string[] = [];
  for (const page of pages) {
    let text = '';
    for (const part of cutText(page, STEP_CHARS)) {
      text += cleanPart(part);
      yield;
    }
    clean.push(text.trimEnd());
  }
  return clean;
}
