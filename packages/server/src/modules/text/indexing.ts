const ROWS_PER_ACCOUNT = 2 ** 33;

/** SQLite's index has one number space for all accounts; each account has its own range in it, in the order of the log. */
export const rowidOf = (accountNumber: number, seq: number): number => accountNumber * ROWS_PER_ACCOUNT + seq;

/** The range of an account: from `first` up to, but not including, `end`. */
export const rowidsOf = (accountNumber: number): { first: number; end: number } => ({
  first: rowidOf(accountNumber, 0),
  end: rowidOf(accountNumber + 1, 0),
});

export const markOf = (accountNumber: number): string => `${accountNumber.toString(36)}·`;

/** Every word is prefixed with its account, so that a search never scans words of another account. */
export const wordIn = (accountNumber: number, word: string): string => `${markOf(accountNumber)}${word}`;

export const markAll = (mark: string, words: readonly string[]): string =>
  words.length === 0 ? '' : `${mark}${words.join(` ${mark}`)}`;

/** Longer ones are not kept beside the index: reading them takes longer than the index does. */
const MAX_TEXT_CHARACTERS = 4096;

/** The words of a text in their order, each between spaces. */
export function shortText(words: readonly string[]): string | null {
  // Most words have more than two characters.
  if (words.length > MAX_TEXT_CHARACTERS / 2) return null;
  const text = ` ${words.join(' ')} `;
  return text.length <= MAX_TEXT_CHARACTERS ? text : null;
}

const MAX_POSITION = 16383;

/** `'word':1,5 'other':2`: words contain only letters and digits, so nothing needs escaping. */
export function toTsvector(mark: string, words: readonly string[]): string {
  const positions = new Map<string, number[]>();
  words.forEach((word, i) => {
    const known = positions.get(word);
    if (known) known.push(Math.min(i + 1, MAX_POSITION));
    else positions.set(word, [Math.min(i + 1, MAX_POSITION)]);
  });
  return [...positions].map(([word, at]) => `'${mark}${word}':${at.slice(0, 255).join(',')}`).join(' ');
}
