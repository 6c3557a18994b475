/** A part of a text, marked where it is one of the words that were asked for. */
export type TextPart = { text: string; isHit: boolean };

const WORD = /[\p{L}\p{N}_]+/gu;
const ENDINGS = /(?:ations?|ingly|ings?|edly|ed|es|(?<!s)s|ly)$/;
const LAST_VOWEL = /(?:ie|i|y|e)$/;
const LEAST_STEM = 3;

/** About what the service's stemmer leaves of a word, so that "retries" marks "retry". */
export function stemOf(word: string): string {
  const lower = word.toLowerCase();
  const stem = lower.replace(ENDINGS, '').replace(LAST_VOWEL, '');
  return stem.length >= LEAST_STEM ? stem : lower;
}

/** The words of a query as they were typed, by their stems. */
export const wordsByStem = (query: string): Map<string, string> =>
  new Map([...query.matchAll(WORD)].map(([word]) => [stemOf(word), word]));

export const stemsOf = (query: string): string[] => [...wordsByStem(query).keys()];

const SMALL_WORDS = new Set(
  'a an and are as at be by did do does for from had has have how i if in is it its of on or our that the their there they this to was we were what when where which who why will with you'.split(
    ' ',
  ),
);

/** Those of a question, without the small words that are everywhere. */
export const stemsOfQuestion = (question: string): string[] =>
  [...wordsByStem(question)].filter(([, word]) => !SMALL_WORDS.has(word.toLowerCase())).map(([stem]) => stem);

/** The text in parts: words with one of the stems are hits. */
export function marked(text: string, stems: readonly string[]): TextPart[] {
  if (stems.length === 0) return [{ text, isHit: false }];
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    const words = match[0].split('_');
    if (!words.some((word) => stems.includes(stemOf(word)))) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isHit: false });
    parts.push({ text: match[0], isHit: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isHit: false });
  return parts;
}

/** How often each stem occurs. */
export function hitsOf(text: string, stems: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const match of text.matchAll(WORD))
    for (const word of match[0].split('_')) {
      const stem = stemOf(word);
      if (stems.includes(stem)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
    }
  return counts;
}

const EXCERPT = 240;
const BEFORE = 60;
const LOOKED_AT = 200_000;

/** A value as it reads in a line: names and what they hold, without the signs of JSON. */
export function plainText(value: unknown, level = 0): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (level > 8) return '…';
  if (Array.isArray(value)) return value.map((item) => plainText(item, level + 1)).join(', ');
  const members = Object.entries(value).map(([name, member]) => `${name}: ${plainText(member, level + 1)}`);
  return members.join(level === 0 ? ' · ' : ', ');
}

/** The part of a value around its first hit, in one line. */
export function excerptOf(value: unknown, stems: readonly string[]): string {
  const whole = plainText(value);
  const text = whole.slice(0, LOOKED_AT).replace(/\s+/g, ' ');
  let at = 0;
  for (const match of text.matchAll(WORD))
    if (stems.includes(stemOf(match[0]))) {
      at = match.index;
      break;
    }
  const from = at <= BEFORE + 20 ? 0 : text.indexOf(' ', at - BEFORE) + 1 || at;
  const start = Math.min(from, at);
  const cut = text.slice(start, start + EXCERPT);
  return `${start > 0 ? '… ' : ''}${cut}${start + EXCERPT < text.length || whole.length > LOOKED_AT ? ' …' : ''}`;
}
