import { isAskingWord } from './question.ts';

/**
 * A time that a question names, as a part of its text: from `since` up to, but not including, `until`. `isNamed`: by a name,
 * such as Friday or 2026-07-21, that entries about that time have as well.
 */
export type QuestionTime = { phrase: string; since: number; until: number; isNamed?: true };
/** `isOnlyTime`: it asks for nothing but what was written then. */
export type TimedQuestion = { text: string; time: QuestionTime | null; isOnlyTime?: boolean };

const DAY = 86_400_000;
const HOUR = 3_600_000;
const MINUTE = 60_000;

type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

const NUMBERS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];

const UNIT = '(minute|hour|day|week|month|quarter|year)';
const COUNT = `(\\d{1,3}|a|an|a few|a couple of|several|${NUMBERS.join('|')})`;
const LEAD = '(?:(?:in|during|over|within|for|from|since|on|as of|by)\\s+)?(?:the\\s+)?';

/** A time with a name, such as a day. */
const DAY_NUMBER = '\\d{1,2}(?:st|nd|rd|th)?';
const MONTH_NAME = `(?:${MONTHS.join('|')})`;
const DAY_OF_MONTH = `(?:${MONTH_NAME}\\s+${DAY_NUMBER}|${DAY_NUMBER}(?:\\s+of)?\\s+${MONTH_NAME})(?:,?\\s+\\d{4})?`;
const YEAR = '(?:19|20)\\d{2}(?!-)';
const NAMED = `(?:the\\s+)?(${DAY_OF_MONTH}|${MONTH_NAME}(?:\\s+\\d{4})?|${WEEKDAYS.join('|')}|\\d{4}-\\d{2}-\\d{2}|${YEAR})`;
const NAME = new RegExp(`\\b${NAMED}\\b`, 'i');

type Phrase = {
  pattern: RegExp;
  span: (found: readonly (string | undefined)[], now: number) => readonly [number, number];
};

/** The first that occurs is understood, so longer forms come first. */
const PHRASES: readonly Phrase[] = [
  {
    pattern: phrase(`(?:between|from)\\s+${NAMED}\\s+(?:and|to|until)\\s+${NAMED}`),
    span: ([from, to], now) => {
      const [, end] = named(String(to), now);
      return [named(String(from), end - 1)[0], Math.min(end, now + 1)];
    },
  },
  { pattern: phrase(`(?:before|prior to)\\s+${NAMED}`), span: ([day], now) => [0, named(String(day), now)[0]] },
  { pattern: phrase(`after\\s+${NAMED}`), span: ([day], now) => [named(String(day), now)[1], now + 1] },
  { pattern: phrase(`(?:on|since)\\s+(?:the\\s+)?(${DAY_OF_MONTH})`), span: ([day], now) => named(String(day), now) },
  { pattern: phrase('day before yesterday'), span: (_, now) => daysAgo(now, 2) },
  { pattern: phrase('yesterday(?:\\s+(?:morning|afternoon|evening|night))?'), span: (_, now) => daysAgo(now, 1) },
  { pattern: phrase('last night'), span: (_, now) => [startOfDay(now) - 8 * HOUR, startOfDay(now) + 8 * HOUR] },
  {
    pattern: phrase('(?:today|this morning|this afternoon|this evening|tonight)'),
    span: (_, now) => [startOfDay(now), now + 1],
  },
  { pattern: phrase(`${COUNT}\\s+${UNIT}s?\\s+ago`), span: ([n, unit], now) => ago(countOf(n), unit as Unit, now) },
  {
    pattern: phrase(`(?:last|past|previous)\\s+${COUNT}\\s+${UNIT}s?`),
    span: ([n, unit], now) => [back(now, countOf(n), unit as Unit), now + 1],
  },
  { pattern: phrase(`(?:last|previous)\\s+${UNIT}`), span: ([unit], now) => lastOf(unit as Unit, now) },
  { pattern: phrase(`past\\s+${UNIT}`), span: ([unit], now) => [back(now, 1, unit as Unit), now + 1] },
  { pattern: phrase(`this\\s+${UNIT}`), span: ([unit], now) => [startOf(unit as Unit, now), now + 1] },
  {
    pattern: phrase(`(?:last|this past|on|since)\\s+(${WEEKDAYS.join('|')})`),
    span: ([day], now) => named(String(day), now),
  },
  {
    pattern: phrase(`(?:last|in|since)\\s+(${MONTH_NAME}(?:\\s+\\d{4})?)`),
    span: ([name], now) => named(String(name), now),
  },
  { pattern: /\b(?:(?:on|since)\s+)?(\d{4}-\d{2}-\d{2})\b/i, span: ([day], now) => named(String(day), now) },
  { pattern: phrase(`(?:in|during|since)\\s+(${YEAR})`), span: ([year], now) => named(String(year), now) },
  { pattern: phrase('(?:just now|a moment ago|earlier today)'), span: (_, now) => [startOfDay(now), now + 1] },
  {
    pattern: phrase('(?:recently|lately|these days|most recent|recent|latest)'),
    span: (_, now) => [now - 14 * DAY, now + 1],
  },
];

function phrase(text: string): RegExp {
  return new RegExp(`\\b${LEAD}${text}\\b`, 'i');
}

/**
 * Finds the time in a question. One that is counted from now, such as yesterday, is cut out: entries do not say it. One with a
 * name stays, as do the words of a question that is nothing but a time.
 */
export function questionTime(question: string, now: number): TimedQuestion {
  for (const { pattern, span } of PHRASES) {
    const found = pattern.exec(question);
    if (!found) continue;
    const [since, end] = span(
      found.slice(1).map((group) => group?.toLowerCase()),
      now,
    );
    const until = /^since\b/i.test(found[0]) ? Math.max(end, now + 1) : end;
    if (!(Number.isFinite(since) && since < until)) continue;
    const rest = `${question.slice(0, found.index)} ${question.slice(found.index + found[0].length)}`;
    const isNamed = NAME.test(found[0]);
    const text = isNamed || !/[\p{L}\p{N}]/u.test(rest) ? question : tidy(rest);
    const time: QuestionTime = { phrase: found[0].trim(), since, until, ...(isNamed ? { isNamed } : {}) };
    return wordsOf(rest).every(isGeneral) ? { text, time, isOnlyTime: true } : { text, time };
  }
  return { text: question, time: null };
}

const tidy = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/\s+([?.!,;])/g, '$1')
    .trim();

/** Words that fit anything that was written. */
const GENERAL_WORDS = new Set(
  `write writes wrote written happen happens happened change changes changed new news learn learned learnt note notes noted
  record records recorded add added store stored save saved remember remembered entry entries memory memories any anything
  something everything all show list tell give s`.split(/\s+/),
);

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const isGeneral = (word: string): boolean => isAskingWord(word) || GENERAL_WORDS.has(word);

function countOf(text: string | undefined): number {
  const word = String(text);
  if (/^\d+$/.test(word)) return Number(word);
  if (word === 'a' || word === 'an') return 1;
  if (word === 'a couple of') return 2;
  const at = NUMBERS.indexOf(word);
  return at < 0 ? 3 : at;
}

const startOfDay = (time: number): number => Math.floor(time / DAY) * DAY;

function daysAgo(now: number, days: number): [number, number] {
  const start = startOfDay(now) - days * DAY;
  return [start, start + DAY];
}

/** Weeks begin on Monday. */
function startOf(unit: Unit, now: number): number {
  const date = new Date(now);
  const [year, at] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (unit === 'year') return Date.UTC(year, 0);
  if (unit === 'quarter') return Date.UTC(year, at - (at % 3));
  if (unit === 'month') return Date.UTC(year, at);
  if (unit === 'week') return startOfDay(now) - ((date.getUTCDay() + 6) % 7) * DAY;
  return unit === 'day' ? startOfDay(now) : Math.floor(now / sizeOf(unit)) * sizeOf(unit);
}

const SIZES: Record<Unit, number> = {
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 30 * DAY,
  quarter: 91 * DAY,
  year: 365 * DAY,
};
const sizeOf = (unit: Unit): number => SIZES[unit];

const back = (now: number, count: number, unit: Unit): number => now - Math.max(count, 1) * sizeOf(unit);

/** The whole unit that lies so far back, a half of it on each side. */
function ago(count: number, unit: Unit, now: number): [number, number] {
  const size = sizeOf(unit);
  if (unit === 'day') return daysAgo(now, count);
  const middle = now - count * size;
  return [middle - size / 2, middle + size / 2];
}

function lastOf(unit: Unit, now: number): [number, number] {
  const end = startOf(unit, now);
  return [startOf(unit, end - 1), end];
}

/** Of a time with a name, the last one that has begun. */
function named(name: string, now: number): readonly [number, number] {
  if (/^\d{4}-/.test(name)) return dayNamed(name);
  if (/^\d{4}$/.test(name)) return [Date.UTC(Number(name), 0), Date.UTC(Number(name) + 1, 0)];
  if (WEEKDAYS.includes(name)) return weekday(name, now);
  const figures: string[] = name.match(/\d+/g) ?? [];
  const at = MONTHS.findIndex((one) => name.includes(one));
  return month(at, { day: figures.find(isDay), year: figures.find((part) => !isDay(part)) }, now);
}

const isDay = (figure: string): boolean => figure.length <= 2;

function weekday(name: string, now: number): [number, number] {
  const days = (new Date(now).getUTCDay() - WEEKDAYS.indexOf(name) + 7) % 7 || 7;
  return daysAgo(now, days);
}

type DayOrMonth = { day: string | undefined; year: string | undefined };

/** By its number, from 0. */
function month(at: number, { day, year }: DayOrMonth, now: number): [number, number] {
  const first = day === undefined ? 1 : Number(day);
  if (first < 1 || first > 31) return [Number.NaN, Number.NaN];
  const current = new Date(now).getUTCFullYear();
  const chosen = year === undefined ? current - (Date.UTC(current, at, first) > now ? 1 : 0) : Number(year);
  const start = Date.UTC(chosen, at, first);
  return [start, day === undefined ? Date.UTC(chosen, at + 1) : start + DAY];
}

function dayNamed(day: string): [number, number] {
  const start = Date.parse(`${day}T00:00:00Z`);
  return [start, start + DAY];
}

/** How near to a time something was written: 1 within it, and half as much for each length of it away, at least a day. */
export function nearness({ since, until }: Pick<QuestionTime, 'since' | 'until'>, writtenAt: number): number {
  const away = writtenAt < since ? since - writtenAt : Math.max(0, writtenAt - (until - 1));
  return 0.5 ** (away / Math.max(until - since, DAY));
}
