import { randomBytes } from 'node:crypto';

const repeated = (piece, chars) => piece.repeat(Math.ceil(chars / piece.length)).slice(0, Math.max(0, chars));
const list = (chars, itemChars, item) => Array.from({ length: Math.max(1, Math.floor(chars / (itemChars + 1))) }, item);
const nested = (levels, inner) => {
  let value = inner;
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { n: value };
  return value;
};

/** Names of secrets and beginnings of tokens that are none, so that a search for secrets stops at each. */
const NEARLY = 'password: see vault; token=f(x); sk-proj-a; Bearer of news; 4111-11 http://a:b ghp_12 AKIA eyJ- ';
const PROSE = 'The retryPolicy of checkout payments was changed after Überlastung on 2026-01-31, see RFC 9110. ';
const SCRIPTS = 'Ünïcödé ЁЖИК ελληνικά 日本語の文章 한국어문장 ไทย 😀🏳️‍🌈 ﷺ ';

/** Texts and values of about that many characters that are costly in one way or another. */
export const forms = {
  prose: { text: (chars) => repeated(PROSE, chars * 0.98) },
  'one letter': { text: (chars) => repeated('a', chars) },
  signs: { text: (chars) => repeated('"\\\n=:', chars / 2) },
  'near secrets': { text: (chars) => repeated(NEARLY, chars) },
  scripts: { text: (chars) => repeated(SCRIPTS, chars / 3) },
  random: {
    text: (chars) =>
      randomBytes(Math.max(1, Math.ceil((chars * 3) / 4)))
        .toString('base64')
        .slice(0, chars),
  },
  digits: { text: (chars) => repeated('4 1 1-', chars) },
  'short items': { value: (chars) => list(chars, 1, () => 1) },
  'empty objects': { value: (chars) => list(chars, 2, () => ({})) },
  'many names': { value: (chars) => Object.fromEntries(list(chars, 12, (_, i) => [`k${i.toString(36)}x`, 1])) },
  'many texts': { value: (chars) => list(chars, 30, (_, i) => `token=a ${i.toString(36)} b camelCase`) },
  nested: { value: (chars) => list(chars, 600, () => nested(100, 'password=abc')) },
};

export const formedText = (form, chars) =>
  form.text ? form.text(chars) : JSON.stringify(form.value(chars / 2)).slice(0, chars);
export const formedValue = (form, chars) => (form.value ? form.value(chars) : form.text(chars));
