import { secretFamily } from './redact-names.ts';

/** Templates, masks and words for nothing. The first are not tried on plain words. */
const SYMBOLIC = [
  /^<[^>]*>?$/,
  /^\[[^\]]*\]?$/,
  /^\$?\{{1,2}[^}]*\}{0,2}$/,
  /^\$\([^)]*\)?$/,
  /^#\{[^}]*\}?$/,
  /^%(?:\(\w+\))?[sdr]$/,
  /^%\w+%$/,
  /^\$(?:\d+|[A-Za-z_]+|[A-Z][A-Z0-9_]*)$/,
  /^[*•●xX.…_#?-]+$/,
  /\*{3}|•{3}/,
  /^[\w-]{0,10}(?:\.{3}|…)$/,
];
const VERBAL = [
  /^[xX]+$/,
  /^(?:your|insert|enter|replace)[-_ ][\w -]*$/i,
  /^(?:null|none|nil|undefined|true|false|yes|no|on|off|n\/a|tbd|todo|unset|empty|redacted|hidden|masked|removed|omitted|placeholder)$/i,
  /^(?:include|same-origin|omit)$/,
];
const PLAIN = /^[A-Za-z0-9][^*•●.…_#?-]*$/;
const MAX_PLACEHOLDER_CHARS = 100;

/** Whether a value is empty, masked, a template or a word for nothing. */
export function isPlaceholder(value: string): boolean {
  if (/^\s*(?:\[REDACTED:[a-z_]+\]|$)/.test(value)) return true;
  const text = value.trim();
  if (text.length > MAX_PLACEHOLDER_CHARS) return false;
  return VERBAL.some((one) => one.test(text)) || (!PLAIN.test(text) && SYMBOLIC.some((one) => one.test(text)));
}

export function isAddress(value: string): boolean {
  return /^[a-z][a-z0-9+.-]{0,30}:\\?\/\\?\//i.test(value);
}

export function isVersion(value: string): boolean {
  return VERSION.test(value);
}

const CALL_OR_INDEX = /^!?[A-Za-z_$][\w$.:?>-]*[([{]/;
const BOUND_NAME = /^[@:&!|>][A-Za-z_.-]*$/;
const PATH = /^(?:~|\.{1,2}|[A-Za-z]:)?(?:\/[\w.@-]+){2,}\/?$/;
const DATE = /^\d{4}-\d\d-\d\d/;
const VERSION = /^[~^]?v?\d{1,9}\.\d{1,9}(?:\.\d{1,9})?(?:[-+][\w.+-]{0,40})?$/;
const CHAIN = /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+$/;
const LONG_PART = /(?:^|\.)(?=[^.]*\d)(?=[^.]*[A-Z])[^.]{20,}/;

/** Whether an unquoted value is code or an address, which refers to a secret but is none. */
export function isReference(value: string): boolean {
  if (isAddress(value) || [CALL_OR_INDEX, BOUND_NAME, PATH, DATE, VERSION].some((pattern) => pattern.test(value))) {
    return true;
  }
  return CHAIN.test(value) && !LONG_PART.test(value) && !value.split('.').every((part) => /\d/.test(part));
}

const VARIABLE = /^[A-Za-z_$]+$/;
const SECRET_WORD = /(?:^|_)(?:key|token|secret|password|passwd|pass|pwd|creds?)(?:_|$)/i;

/** Whether a value is the name of a variable that holds the secret, as in `login(password=user_password)`. */
export function isSecretVariable(value: string): boolean {
  return VARIABLE.test(value) && (SECRET_WORD.test(value) || secretFamily(value) !== null);
}

/** Words that follow `password:` in prose, in messages and where types are declared. */
const PROSE = new Set(
  (
    'string str text bytes byte char varchar number int integer bool boolean any unknown object void never optional ' +
    'required requires need needed missing invalid valid wrong incorrect correct expired revoked changed unchanged ' +
    'updated reset failed failure success disabled enabled default set not the a an is are was must should can may will ' +
    'see use used enter type choose please your this that it for and or if when with without to from in on at by as of ' +
    'flag option options argument parameter switch value field input prompt authentication auth login protected bearer ' +
    'basic digest token await new function lambda async return self cls super static const let'
  ).split(' '),
);

export function isProse(value: string): boolean {
  return PROSE.has(value.replace(/[.!?:]$/, '').toLowerCase());
}

/** Further words of sentences about passwords; alone, each of them may be a bad password. */
const SENTENCE = new Set(
  (
    'who where which what how why has have had be been being do does did rotated rotates stored kept lives expires ' +
    'generated managed read taken comes ask asks contact check look ticket vault manager store file env environment ' +
    'variable setting settings only also still never always again later instead via per each every all some same other ' +
    'password passwords secret secrets user users admin change changes min max least most characters chars long'
  ).split(' '),
);

/** `correct` begins the best known of all passphrases, and says nothing else beside another word. */
export const isSentenceWord = (word: string): boolean =>
  (isProse(word) && word.toLowerCase() !== 'correct') || SENTENCE.has(word.replace(/[.!?:]$/, '').toLowerCase());

const WORDS = /^[A-Za-z]+(?:[-_.'’/][A-Za-z]*\d{0,3})*[.!?:]?$/;

/** Letters, perhaps with dashes between them: a word or a name, not a key. */
export function isWordy(value: string): boolean {
  return WORDS.test(value);
}

/** Letters and digits, and too many to be written by hand. */
export function looksRandom(value: string): boolean {
  return value.length >= 8 && /\d/.test(value) && (/[A-Za-z]/.test(value) || value.length >= 16) && !isWordy(value);
}
