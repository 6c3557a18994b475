/** A passage ends where a sentence or a line ends, at about this length. */
export const PASSAGE_CHARS = 600;
/** A sentence that is longer is cut between words. */
const MAX_SENTENCE = 1_200;

/** How many characters of English make a token, on average. */
const CHARS_PER_TOKEN = 4;

export const tokensIn = (text: string): number => Math.ceil(text.length / CHARS_PER_TOKEN);

/** A sentence with its end, or a line. */
const SENTENCE = /[^\n]*?(?:[.!?]["')\]]*(?=\s|$)|\n|$)/g;

/** Cuts a text into passages of whole sentences, `most` at most: what is beyond them is left out. */
export function passagesOf(text: string, most = Number.POSITIVE_INFINITY): string[] {
  if (text.length <= PASSAGE_CHARS) return [text];
  const passages: string[] = [];
  let current = '';
  const end = () => {
    if (current.trim() !== '') passages.push(current.trim());
    current = '';
  };
  for (const [sentence] of text.matchAll(SENTENCE)) {
    for (const part of sentence.length > MAX_SENTENCE ? cut(sentence) : [sentence]) {
      if (current.length > 0 && current.length + part.length > PASSAGE_CHARS) end();
      if (passages.length >= most) return passages;
      current += part;
    }
  }
  end();
  return passages.slice(0, most);
}

function cut(sentence: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < sentence.length; ) {
    const space = sentence.lastIndexOf(' ', at + PASSAGE_CHARS);
    const end = sentence.length - at <= PASSAGE_CHARS ? sentence.length : space > at ? space + 1 : at + PASSAGE_CHARS;
    parts.push(sentence.slice(at, end));
    at = end;
  }
  return parts;
}

/** Texts of a value are read up to this length. */
const MAX_TEXT = 64 * 1024;

/** The text of a value, as its meaning is taken from: a string as it is, of anything else its names and texts in lines. */
export function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  const found: ValueText = { lines: [], left: MAX_TEXT };
  collect(found, value, '');
  return found.lines.join('\n');
}

type ValueText = { lines: string[]; left: number };

function collect(found: ValueText, value: unknown, name: string): void {
  if (found.left <= 0 || value === null || value === undefined) return;
  if (typeof value === 'object') {
    const isList = Array.isArray(value);
    for (const [member, one] of Object.entries(value)) {
      if (found.left <= 0) return;
      collect(found, one, isList ? name : member);
    }
    return;
  }
  const line = `${name === '' ? '' : `${name}: `}${String(value)}`.slice(0, found.left);
  found.left -= line.length + 1;
  found.lines.push(line);
}
