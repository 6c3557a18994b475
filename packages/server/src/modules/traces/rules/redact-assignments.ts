import { findBare, findBareEnd, findQuoted } from './redact-literals.ts';
import { type SecretFamily, secretFamily } from './redact-names.ts';
import type { TextRange } from './redact-pattern-parts.ts';
import {
  isAddress,
  isPlaceholder,
  isProse,
  isReference,
  isSecretVariable,
  isSentenceWord,
  isVersion,
  isWordy,
  looksRandom,
} from './redact-values.ts';

const MAX_NAME_CHARS = 64;

/** Between a name and its value. Code may have a type there: `password: str = "…"`. */
const TYPED = /\??:[ \t]{0,8}&?[A-Za-z_][\w.<>[\]| ]{0,24}?=[ \t]{0,8}(?=["'`])/y;
const SIGN = /(\\{0,7}["'`])?(?:\](?=[ \t]{0,4}=))?\*{0,2}[ \t]{0,32}(:=|=>|=(?![=~])|:(?![:=]))\*{0,2}([ \t]{0,32})/y;
const BLANK = /[ \t]{1,8}(?![-|&;])/y;
const TAG = />(?=[^<>\s]{1,512}<\/)/y;

/** How a value follows its name: for an unquoted value it decides how much evidence of a secret is needed. */
type AssignmentSign = { end: number; quotedName: boolean; form: 'tight' | 'header' | 'loose' | 'arrow' };
type SecretName = { text: string; start: number; end: number; family: SecretFamily };

/** The value assigned to the name of a secret; the match is the end of that name. */
export function assignedValue(match: RegExpExecArray): TextRange[] {
  const text = match.input;
  const name = nameAt(text, match.index, match.index + match[0].length);
  const sign = name && signAfter(text, name);
  const value =
    sign && (quotedSecret(text, name, sign) ?? passphrase(text, name, sign) ?? bareSecret(text, name, sign));
  return value ? [value] : [];
}

/** Returns the whole name, of which the pattern found the end. */
function nameAt(text: string, endingStart: number, end: number): SecretName | undefined {
  if (text[endingStart] === '[') return undefined;
  const least = Math.max(0, endingStart - MAX_NAME_CHARS);
  let start = endingStart;
  while (start > least && isNameChar(text.charCodeAt(start - 1))) start--;
  if (start < endingStart && text[start - 1] === '\\' && 'nrt'.includes(text.charAt(start))) start++;
  const name = text.slice(start, end);
  const family = secretFamily(name);
  return family === null ? undefined : { text: name, start, end, family };
}

function isNameChar(code: number): boolean {
  const letter = code | 0x20;
  return (
    (letter >= 0x61 && letter <= 0x7a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d ||
    code === 0x2e
  );
}

function signAfter(text: string, name: SecretName): AssignmentSign | undefined {
  const at = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = name.end;
    return pattern.exec(text);
  };
  if (at(TYPED)) return { end: TYPED.lastIndex, quotedName: false, form: 'loose' };
  const sign = at(SIGN);
  if (sign) {
    const [, quote, mark, space] = sign;
    const isTight = mark === '=' && space === '' && /[=\]]/.test(text.charAt(name.end));
    const form = mark === '=>' ? 'arrow' : isTight ? 'tight' : /^x-/i.test(name.text) ? 'header' : 'loose';
    return { end: SIGN.lastIndex, quotedName: quote !== undefined, form };
  }
  if (name.text.startsWith('--') && at(BLANK)) return { end: BLANK.lastIndex, quotedName: false, form: 'tight' };
  if (text[name.start - 1] === '<' && at(TAG)) return { end: TAG.lastIndex, quotedName: false, form: 'tight' };
  return undefined;
}

const SCHEME = /^(?:bearer|basic|token|digest|api-?key)[ \t]+/i;

function quotedSecret(text: string, name: SecretName, sign: AssignmentSign): TextRange | undefined {
  const quoted = findQuoted(text, sign.end);
  if (quoted === undefined || (!sign.quotedName && wasClosing(text, quoted))) return undefined;
  const scheme = SCHEME.exec(text.slice(quoted.start, quoted.start + 32))?.[0] ?? '';
  const start = Math.min(quoted.start + scheme.length, quoted.end);
  const value = text.slice(start, quoted.end);
  if (isPlaceholder(value) || (name.family === 'key' && (isAddress(value) || isVersion(value)))) return undefined;
  return { start, end: quoted.end };
}

/** In `"token=" + token` the quote after the sign ends a string; the code after it is not a value. */
function wasClosing(text: string, { start, end }: TextRange): boolean {
  const value = text.slice(start, end);
  if (/^\s|^[,;:)\]}({[+\s]*$|^["'`]?\s*(?:[,;)\]}]\s|\+\s|\+.*\+$)/.test(value)) return true;
  const isOpen = end === text.length || text[end] === '\n';
  return isOpen && /^["'`]?[,;:)\]}+.]/.test(value);
}

const DECLARED = /(?:^|[^\w$])(?:const|let|var|val|final|auto)[ \t]{1,8}$/;
const MEMBER = /^(?:this|self)\./;
const ENVIRONMENT_NAME = /^[A-Z0-9_]+$/;

function bareSecret(text: string, name: SecretName, sign: AssignmentSign): TextRange | undefined {
  if (sign.form === 'arrow') return undefined;
  const { word, isLong } = findBare(text, sign.end);
  const end = sign.end + word.length;
  const isSettingLine = () => startsLine(text, name.start) && endsLine(text, end);
  if (!isLong && !isLikely(word, name, { form: sign.form, endsLine: () => endsLine(text, end), isSettingLine }))
    return undefined;
  if (isPlaceholder(word) || isReference(word) || isCode(text, name, word)) return undefined;
  return { start: sign.end, end: isLong ? findBareEnd(text, sign.end) : end };
}

function isCode(text: string, name: SecretName, value: string): boolean {
  if (/^(?:old)?pwd$/i.test(name.text) && /^(?:[/~.]|[A-Za-z]:)/.test(value)) return true;
  if (MEMBER.test(name.text) || DECLARED.test(text.slice(Math.max(0, name.start - 16), name.start))) return true;
  const isData = ENVIRONMENT_NAME.test(name.text) || '?&'.includes(text[name.start - 1] ?? ' ');
  return !isData && isSecretVariable(value);
}

const LINE_END = /[ \t]{0,32}(?:#.{0,200})?(?:[\r\n]|\\[nr]|["'`]|$)/y;

function endsLine(text: string, end: number): boolean {
  LINE_END.lastIndex = end;
  return LINE_END.test(text);
}

const LINE_START = /(?:[\r\n]|\\[nr])[ \t]*(?:- )?$/;
const MAX_INDENT = 32;

function startsLine(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - MAX_INDENT), start);
  return LINE_START.test(start <= MAX_INDENT ? `\n${before}` : before);
}

/** Hexadecimal, or random; on a line of its own also a few letters and digits. */
function isKeyAfterColon(word: string, isSettingLine: () => boolean): boolean {
  if (looksRandom(word) || /^(?=\d*[a-f])[0-9a-f]{8,}$/i.test(word)) return true;
  const isMixed = word.length >= 6 && /\d/.test(word) && /[A-Za-z]/.test(word) && !isWordy(word);
  return isMixed && isSettingLine();
}

/** Two to eight words up to the end of the line. */
const PHRASE = /[^\s\\"'`#]{1,40}(?:[ \t]{1,4}[^\s\\"'`#]{1,40}){1,7}/y;
const SETTING_NAME = /^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+$/;

/**
 * A password of several words, as in `DB_PASSWORD: correct horse`. Only after the name of a setting, and only words that no
 * sentence about passwords has: after a plain `password:` there is mostly prose.
 */
function passphrase(text: string, name: SecretName, { end: start, form }: AssignmentSign): TextRange | undefined {
  const isSetting = SETTING_NAME.test(name.text) && (ENVIRONMENT_NAME.test(name.text) || startsLine(text, name.start));
  if (form !== 'loose' || name.family !== 'password' || !isSetting) return undefined;
  PHRASE.lastIndex = start;
  const phrase = PHRASE.exec(text)?.[0];
  if (phrase === undefined || !endsLine(text, start + phrase.length)) return undefined;
  const isSecret = phrase.split(/[ \t]+/).every((word) => /^[\w'’-]+[!?]?$/.test(word) && !isSentenceWord(word));
  return isSecret ? { start, end: start + phrase.length } : undefined;
}

/** A sign such as `=` announces a value; after a colon there may as well be prose or code. */
function isLikely(
  word: string,
  { family }: SecretName,
  at: Pick<AssignmentSign, 'form'> & { endsLine: () => boolean; isSettingLine: () => boolean },
): boolean {
  if (at.form === 'loose' && family === 'key') return isKeyAfterColon(word, at.isSettingLine);
  const least = /^\d+$/.test(word) ? (family === 'password' ? 4 : 6) : 3;
  if (word.length < least || isProse(word)) return false;
  if (at.form === 'tight' || !isWordy(word)) return at.form !== 'loose' || word.length >= 4;
  return at.endsLine() && (at.form === 'header' || /^[a-z]{4}/.test(word));
}
