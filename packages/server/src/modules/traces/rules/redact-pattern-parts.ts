export type TextRange = { start: number; end: number };

/** One way to recognise a secret. */
export type SecretPattern = {
  /** The secret is replaced by `[REDACTED:<kind>]`. */
  kind: string;
  catches: string;
  /**
   * Global, and never matches an empty text. Its last group is the secret and ends the match; without a group the whole
   * match is the secret.
   */
  pattern: RegExp;
  /** Whether a match is a secret, where its form is no proof. */
  check?: (secret: string, match: RegExpExecArray) => boolean;
  /** The positions of secrets in a match, if the pattern only finds where one may begin. */
  locate?: (match: RegExpExecArray) => TextRange[];
  /**
   * Texts with «secrets» in marks, which are found. `{20}` stands for 20 characters, so that secret scanners do not flag
   * this file.
   */
  caught: readonly string[];
  /** Similar texts that are left unchanged. */
  harmless: readonly string[];
};

/** A token begins at the start of a word, or after an escaped line end. */
const WORD_START = String.raw`^|[^A-Za-z0-9]|\\[nrt]`;
/** The same for tokens that contain dashes and underscores; otherwise each dash could begin one. */
export const NAME_START = String.raw`^|[^\w-]|\\[nrt]`;

/** The lookbehind comes after the prefix: a search for fixed letters is much faster than one for a position. */
export const word = (begin: string, rest: string): RegExp =>
  new RegExp(`(?:${begin})(?<=(?:${WORD_START})(?:${begin}))(?:${rest})`, 'g');

const QUOTES = String.raw`[\\"'\x60]{0,4}`;
export const authorization = (schemes: string): RegExp =>
  new RegExp(
    String.raw`authorization${QUOTES}[ \t]{0,8}[:=][ \t]{0,8}${QUOTES}(?:${schemes})[ \t]{1,8}([^\s"'\x60\\,;<>]+)`,
    'gi',
  );
