/** Characters that are not seen and set the direction of what follows them, to the end of the line. */
const CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const CONTROL = new RegExp(CONTROLS.source);
/** Letters that are written from right to left: they turn the digits and signs beside them around. */
const FROM_THE_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1eeff}]/u;

const markOf = (control: string): string =>
  `[U+${control.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`;

/** A text with a mark in the place of each character that would reorder it. */
export const withMarks = (text: string): string => (CONTROL.test(text) ? text.replace(CONTROLS, markOf) : text);

/** Whether a text must be kept apart from what stands beside it. */
export const isFromTheRight = (text: string): boolean => FROM_THE_RIGHT.test(text);
