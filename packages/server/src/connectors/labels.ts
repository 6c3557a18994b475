import { textOf } from './members.ts';
import { cutText, TITLE_CHARACTERS } from './text.ts';

/** A text that is a name or a title, cut where it is longer than any of these. */
export function labelOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : cutText(text, TITLE_CHARACTERS);
}

const MAX_ID = 200;

/** The id of an item of a list. No sender has longer ones. */
export function idOf(value: unknown): string | undefined {
  const id = textOf(value);
  return id === undefined || id.length > MAX_ID ? undefined : cutText(id, MAX_ID);
}
