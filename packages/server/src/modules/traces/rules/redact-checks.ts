import { isPlaceholder, isReference, isSecretVariable, isWordy } from './redact-values.ts';

// Checks for patterns whose form is no proof of a secret.

export const hasDigit = (secret: string): boolean => /\d/.test(secret);

export const isMixed = (secret: string): boolean => hasDigit(secret) && /[a-z]/.test(secret) && /[A-Z]/.test(secret);

export const isFilledIn = (secret: string): boolean => !isPlaceholder(secret);

/** The end of the same line before a match. */
function lineBefore({ input, index }: RegExpExecArray, maxChars: number): string {
  const before = input.slice(Math.max(0, index - maxChars), index);
  return before.slice(before.lastIndexOf('\n') + 1);
}

export const isAwsSecret = (secret: string, match: RegExpExecArray): boolean =>
  isMixed(secret) && /aws|amazon|secret/i.test(lineBefore(match, 60));

export const isNearTwilio = (secret: string, { input, index }: RegExpExecArray): boolean =>
  /twilio/i.test(input.slice(Math.max(0, index - 200), index + secret.length + 200));

export const isCurlPassword = (secret: string, match: RegExpExecArray): boolean =>
  /\bcurl\b/.test(lineBefore(match, 300)) && isFilledIn(secret);

/**
 * Whether this is a credential of an Authorization header: not a template, code, or a word of a sentence about such
 * headers.
 */
export function isCredential(secret: string): boolean {
  if (isPlaceholder(secret) || isReference(secret) || isSecretVariable(secret)) return false;
  return !isWordy(secret) || !/^(?:auth\w*|tokens?|scheme|header|format|realm)\b/i.test(secret);
}

export const isBase64Login = (secret: string): boolean =>
  /^[^\p{Cc}\ufffd]+:[^\p{Cc}\ufffd]*$/u.test(Buffer.from(secret, 'base64').toString('utf8'));
