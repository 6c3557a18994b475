import { findMatches, type Secret } from './redact-span.ts';
import { isPlaceholder, isReference, isSecretVariable, isWordy, looksRandom } from './redact-values.ts';

const QUOTES = String.raw`[\\"'\x60]{0,4}`;
const SCHEMES = 'bearer|basic|token|api-?key|geniekey|jwt|negotiate|ntlm|oauth|splunk';
const HEADER = new RegExp(
  String.raw`authorization${QUOTES}[ \t]{0,8}[:=][ \t]{0,8}${QUOTES}(${SCHEMES})[ \t]{1,8}([^\s"'\x60\\,;<>]+)`,
  'gi',
);
const BEARER = /(?<![\w-])bearer[ \t]{1,8}([\w.~+/=-]{16,})/gi;
const BASIC = /(?<![\w-])basic[ \t]{1,8}([A-Za-z0-9+/]{8,512}={0,2})(?![A-Za-z0-9+/=])/gi;
/** To the end of the line or of the quoted text: every cookie on it may be the one that counts. */
const COOKIES = /(?<![\w-])(?:set-)?cookie:[ \t]{0,8}([^\s=;,"'`\\[]{1,128}=(?:[^\r\n"'`\\]|\\(?![nr"'`]))*)/gi;

/** What follows `Bearer` and `Basic`, and cookies in headers. */
export function findCredentials(text: string): Secret[] {
  return [
    ...findLast(text, HEADER, ([, scheme = '', value = '']) => (isCredential(value) ? kindOf(scheme) : undefined)),
    ...findLast(text, BEARER, ([, value = '']) => (looksRandom(value) ? 'bearer' : undefined)),
    ...findLast(text, BASIC, ([, value = '']) => (isUserAndPassword(value) ? 'basic' : undefined)),
    ...findLast(text, COOKIES, () => 'cookie'),
  ];
}

/** `kindOf` decides on each match; its last group is what is secret, and ends it. */
function findLast(text: string, pattern: RegExp, kindOf: (match: RegExpExecArray) => string | undefined): Secret[] {
  return findMatches(text, pattern).flatMap((match) => {
    const kind = kindOf(match);
    const end = match.index + match[0].length;
    return kind === undefined ? [] : [{ start: end - (match.at(-1)?.length ?? 0), end, kind }];
  });
}

function kindOf(scheme: string): string {
  return scheme.toLowerCase() === 'basic' ? 'basic' : 'bearer';
}

function isCredential(value: string): boolean {
  if (isPlaceholder(value) || isReference(value) || isSecretVariable(value)) return false;
  return !isWordy(value) || !/^(?:auth\w*|tokens?|scheme|header|format|realm)\b/i.test(value);
}

function isUserAndPassword(value: string): boolean {
  return /^[^\p{Cc}\ufffd]+:[^\p{Cc}\ufffd]*$/u.test(Buffer.from(value, 'base64').toString('utf8'));
}

const CURL_USER = /[ \t](?:-u|--user)[ \t=]{0,4}["']?[^\s:"'`]{1,128}:([^\s"'`\\]{1,256})/g;
const SSHPASS = /\bsshpass[ \t]{1,4}-p[ \t]{0,4}["']?([^\s"'`\\]{1,256})/g;
const SQL_USER = /\b(?:password|identified by)[ \t]{1,8}'([^'\s]{1,256})(?=')/gi;

/** Passwords that stand in a command without a name of their own. */
export function findCommandPasswords(text: string): Secret[] {
  const isOfCurl = ({ index }: RegExpExecArray) => /\bcurl\b[^\n]*$/.test(text.slice(Math.max(0, index - 300), index));
  const unlessEmpty = (match: RegExpExecArray) => (isPlaceholder(match.at(-1) ?? '') ? undefined : 'password');
  return [
    ...findLast(text, CURL_USER, (match) => (isOfCurl(match) ? unlessEmpty(match) : undefined)),
    ...findLast(text, SSHPASS, unlessEmpty),
    ...findLast(text, SQL_USER, unlessEmpty),
  ];
}
