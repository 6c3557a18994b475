/** A shorter secret can be guessed from one delivery and its signature. */
export const MIN_SECRET_CHARS = 8;
export const MAX_SECRET_CHARS = 256;

/** What is wrong with a secret that a sender signs with. The text is never shown. */
export function signingSecretProblem(text: string): string | undefined {
  if (text !== text.trim()) return 'begins or ends with white space, which no sender has in its secret';
  return text.length < MIN_SECRET_CHARS
    ? `must have at least ${MIN_SECRET_CHARS} characters: a shorter secret can be guessed`
    : undefined;
}
