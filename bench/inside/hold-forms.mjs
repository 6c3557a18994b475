import { randomBytes } from 'node:crypto';

const repeated = (piece, chars) =>
  piece.repeat(Math.max(0, Math.ceil(chars / piece.length))).slice(0, Math.max(0, chars));
/** As many items as the characters give, but no more than a body may have values or members. */
const list = (chars, { of: itemChars, most }, item) =>
  Array.from({ length: Math.max(1, Math.floor(Math.min(chars / (itemChars + 1), most))) }, item);
const nested = (levels, inner) => {
  let value = inner;
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { n: value };
  return value;
};

/** Names of secrets and beginnings of tokens that are none, so that a search for secrets stops at each. */
const NEARLY = 'password: see vault; token=f(x); sk-proj-a; Bearer of news; 4111-11 http://a:b ghp_12 AKIA eyJ- ';
const PROSE = 'The retryPolicy of checkout payments was changed after Überlastung on 2026-01-31, see RFC 9110. ';
const SCRIPTS = 'Ünïcödé ЁЖИК ελληνικά 日本語の文章 한국어문장 ไทย 😀🏳️‍🌈 ﷺ ';

/** The most that a body may hold, a little less for what is around it. */
const VALUES = 240_000;
const MEMBERS = 48_000;

/**
 * Texts and values of about that many characters that are costly in one way or another. `part` is the share of the body's
 * values that one of them may have; it is infinite for a body that is to be refused.
 */
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
  'short items': { value: (chars, part) => list(chars, { of: 1, most: VALUES * part }, () => 1) },
  'empty objects': { value: (chars, part) => list(chars, { of: 2, most: VALUES * part }, () => ({})) },
  'many names': {
    value: (chars, part) =>
      Object.fromEntries(
        list(chars, { of: 12, most: MEMBERS * part }, (_, i) => [`k${((i * 7919) % 1_000_003).toString(36)}x`, 1]),
      ),
  },
  'long names': {
    value: (chars, part) => {
      const most = Math.max(1, Math.floor(Math.min(chars / 20, MEMBERS * part)));
      const name = 'n'.repeat(Math.max(1, Math.floor(chars / most) - 14));
      return Object.fromEntries(list(chars, { of: 19, most }, (_, i) => [`${name}${i}`, 1]));
    },
  },
  'many texts': {
    value: (chars, part) =>
      list(chars, { of: 30, most: VALUES * part }, (_, i) => `token=a ${i.toString(36)} b camelCase`),
  },
  nested: {
    value: (chars, part) => list(chars, { of: 600, most: (MEMBERS * part) / 51 }, () => nested(100, 'password=abc')),
  },
};

export const formedText = (form, chars, part) =>
  form.text ? form.text(chars) : JSON.stringify(form.value(chars / 2, part)).slice(0, chars);
export const formedValue = (form, chars, part = Number.POSITIVE_INFINITY) =>
  form.value ? form.value(chars, part) : form.text(chars);
