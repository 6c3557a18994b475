import { JsonText } from '@mem-service/contract';

/** The output device. `width` is undefined if it is not a terminal: lines are not cut then, and times are absolute. */
export type Screen = { width: number | undefined; colour: boolean; now?: number };

export const isTerminal = ({ width }: Screen): boolean => width !== undefined;

const COLOURS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Colour = keyof typeof COLOURS;
const RESET = '\u001b[0m';
/** Only `paint` adds these sequences, because texts are cleaned. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const PAINT = /(\u001b\[\d+m)/g;

export function paint(screen: Screen, colour: Colour, text: string): string {
  return screen.colour && text !== '' ? `\u001b[${COLOURS[colour]}m${text}${RESET}` : text;
}

/** Control characters, other line ends and marks of direction would let a value rewrite the screen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export const clean = (text: string): string =>
  text.replace(UNSAFE, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const oneLine = (text: string): string => clean(text.replace(/\s*\n\s*/g, ' ').replaceAll('\t', ' '));

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

function widthOfCharacter(character: string): number {
  if (/[\p{M}\u200d]/u.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** The width in terminal columns. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let out = '';
  let used = 1;
  for (const character of text) {
    used += widthOfCharacter(character);
    if (used > width) break;
    out += character;
  }
  return `${out}…`;
}

/** Cuts a painted line at the edge of the terminal. */
export function fit(screen: Screen, line: string): string {
  if (screen.width === undefined || widthOf(line.replaceAll(PAINT, '')) <= screen.width) return line;
  let room = screen.width - 1;
  let out = '';
  for (const part of line.split(PAINT)) {
    if (part.startsWith('\u001b')) out += part;
    else
      for (const character of part) {
        room -= widthOfCharacter(character);
        if (room < 0) return `${out}…${screen.colour ? RESET : ''}`;
        out += character;
      }
  }
  return out;
}

/** The beginning of a long text, on one line. */
export const brief = (found: unknown, length: number): string => cut(show(found), length);

export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** A time to the second, in UTC. */
export const when = (iso: unknown): string =>
  typeof iso === 'string' ? iso.replace('T', ' ').replace(/(\.\d+)?Z$/, 'Z') : '';

/** The event from outside that a version was written for: its type, and when it happened. */
export function eventText(event: unknown, timeText: (iso: unknown) => string): string {
  const { event_type, occurred_at } = (event ?? {}) as { event_type?: unknown; occurred_at?: unknown };
  const time = timeText(occurred_at);
  return time === '' ? show(event_type) : `${show(event_type)}, ${time}`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Beyond this many days the date says more. */
const MAX_DAYS = 60;

/** On a terminal how long ago it was, elsewhere the time itself. */
export function whenOn(screen: Screen, iso: unknown): string {
  const time = typeof iso === 'string' ? Date.parse(iso) : Number.NaN;
  if (!isTerminal(screen) || Number.isNaN(time)) return when(iso);
  const past = (screen.now ?? Date.now()) - time;
  const length = Math.abs(past);
  if (length > MAX_DAYS * DAY) return new Date(time).toISOString().slice(0, 10);
  const text =
    length < MINUTE
      ? `${Math.floor(length / 1000)}s`
      : length < HOUR
        ? `${Math.floor(length / MINUTE)}m`
        : length < 2 * DAY
          ? `${Math.floor(length / HOUR)}h`
          : `${Math.floor(length / DAY)}d`;
  return past < 0 ? `in ${text}` : `${text} ago`;
}

/** A field of an answer on one line. */
export function show(found: unknown): string {
  if (found === undefined || found === null) return '';
  if (found instanceof JsonText) return oneLine(found.text);
  if (typeof found === 'string') return oneLine(found);
  if (Array.isArray(found) && found.every((item) => typeof item !== 'object')) return oneLine(found.join(', '));
  return typeof found === 'object' ? oneLine(JSON.stringify(found)) : String(found);
}
