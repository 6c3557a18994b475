export type TextRange = { start: number; end: number };

/** One way to recognise a secret. */
export type SecretPattern = {
  /** What stands where the secret stood: `[REDACTED:<kind>]`. */
  kind: string;
  catches: string;
  /** Global, and never matches nothing. Its last group is the secret and ends the match; without a group all of it is. */
  pattern: RegExp;
  /** Whether a match is a secret, where its form is not proof enough. */
  check?: (secret: string, match: RegExpExecArray) => boolean;
  /** Where the secrets of a match are, if the pattern only finds where one may begin. */
  locate?: (match: RegExpExecArray) => TextRange[];
  /** Texts with «secrets» in marks, which are found. `{20}` is put for 20 characters, so that no scanner of sources is alarmed. */
  caught: readonly string[];
  /** Texts that look alike and are left alone. */
  harmless: readonly string[];
};

/** A token begins at the start of a word, or after a line end that is written as an escape. */
const WORD_START = String.raw`^|[^A-Za-z0-9]|\\[nrt]`;
/** The same for those that have dashes and underscores in them, else each dash would be a place to begin. */
export const NAME_START = String.raw`^|[^\w-]|\\[nrt]`;

/** The look back comes after the beginning: a search for fixed letters is much faster than one for a place. */
export const word = (begin: string, rest: string): RegExp =>
  new RegExp(`(?:${begin})(?<=(?:${WORD_START})(?:${begin}))(?:${rest})`, 'g');

const QUOTES = String.raw`[\\"'\x60]{0,4}`;
export const authorization = (schemes: string): RegExp =>
  new RegExp(
    String.raw`authorization${QUOTES}[ \t]{0,8}[:=][ \t]{0,8}${QUOTES}(?:${schemes})[ \t]{1,8}([^\s"'\x60\\,;<>]+)`,
    'gi',
  );
