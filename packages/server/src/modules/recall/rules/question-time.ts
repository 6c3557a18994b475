/** A time that a question names, as a part of its text: from `since` up to, but not including, `until`. */
export type QuestionTime = { phrase: string; since: number; until: number };
export type TimedQuestion = { text: string; time: QuestionTime | null };

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

type Phrase = { pattern: RegExp; span: (found: readonly string[], now: number) => readonly [number, number] };

/** The first that occurs is understood, so longer forms come first. */
const PHRASES: readonly Phrase[] = [
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
    span: ([day], now) => weekday(String(day), now),
  },
  {
    pattern: phrase(`(?:last|in|since)\\s+(${MONTHS.join('|')})(?:\\s+(\\d{4}))?`),
    span: ([name, year], now) => month(String(name), year, now),
  },
  { pattern: /\b(?:(?:on|since)\s+)?(\d{4}-\d{2}-\d{2})\b/i, span: ([day]) => dayNamed(String(day)) },
  { pattern: phrase('(?:just now|a moment ago|earlier today)'), span: (_, now) => [startOfDay(now), now + 1] },
  { pattern: phrase('(?:recently|lately|these days|most recent|latest)'), span: (_, now) => [now - 14 * DAY, now + 1] },
];

function phrase(text: string): RegExp {
  return new RegExp(`\\b${LEAD}${text}\\b`, 'i');
}

/** Finds the time in a question and cuts it out. A question that is nothing but a time keeps its words. */
export function questionTime(question: string, now: number): TimedQuestion {
  for (const { pattern, span } of PHRASES) {
    const found = pattern.exec(question);
    if (!found) continue;
    const [since, end] = span(found.slice(1), now);
    const until = /^since\b/i.test(found[0]) ? Math.max(end, now + 1) : end;
    if (!(Number.isFinite(since) && since < until)) continue;
    const rest = `${question.slice(0, found.index)} ${question.slice(found.index + found[0].length)}`;
    const text = /[\p{L}\p{N}]/u.test(rest)
      ? rest
          .replace(/\s+/g, ' ')
          .replace(/\s+([?.!,;])/g, '$1')
          .trim()
      : question;
    return { text, time: { phrase: found[0].trim(), since, until } };
  }
  return { text: question, time: null };
}

function countOf(text: string | undefined): number {
  const word = String(text).toLowerCase();
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
const sizeOf = (unit: Unit): number => SIZES[unit.toLowerCase() as Unit];

const back = (now: number, count: number, unit: Unit): number => now - Math.max(count, 1) * sizeOf(unit);

/** The whole unit that lies so far back, a half of it on each side. */
function ago(count: number, unit: Unit, now: number): [number, number] {
  const size = sizeOf(unit);
  if (unit.toLowerCase() === 'day') return daysAgo(now, count);
  const middle = now - count * size;
  return [middle - size / 2, middle + size / 2];
}

function lastOf(unit: Unit, now: number): [number, number] {
  const name = unit.toLowerCase() as Unit;
  const end = startOf(name, now);
  return [startOf(name, end - 1), end];
}

function weekday(name: string, now: number): [number, number] {
  const wanted = WEEKDAYS.indexOf(name.toLowerCase());
  const days = (new Date(now).getUTCDay() - wanted + 7) % 7 || 7;
  return daysAgo(now, days);
}

/** Without a year, the last one that has begun. */
function month(name: string, given: string | undefined, now: number): [number, number] {
  const at = MONTHS.indexOf(name.toLowerCase());
  const date = new Date(now);
  const year = given === undefined ? date.getUTCFullYear() - (at > date.getUTCMonth() ? 1 : 0) : Number(given);
  return [Date.UTC(year, at), Date.UTC(year, at + 1)];
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
