/**
 * Numbers, times and lengths as people read them. One place, so that another language changes them here. `Intl` is asked only
 * where a page can wait: its first answer takes as long as drawing one.
 */
const LOCALE = 'en';
const GROUPS = ',';
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

let short: Intl.NumberFormat | undefined;
const shortOf = (n: number): string => {
  short ??= new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
  return short.format(n);
};

const two = (n: number): string => String(n).padStart(2, '0');

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** As far from zero below it as above: 67.5 and -67.5 have the same figures. */
const rounded = (n: number): number => Math.sign(n) * Math.round(Math.abs(n));
export const number = (n: number): string => String(rounded(n)).replace(/\B(?=(\d{3})+$)/g, GROUPS);
export const shortNumber = (n: number): string => (Math.abs(n) < 10_000 ? number(n) : shortOf(n));
export const confidence = (n: number): string => n.toFixed(2);
/** Little is not nothing: a share of 0.4 % is not shown as 0 %. */
export const percent = (share: number): string => (share > 0 && share < 0.01 ? '< 1 %' : `${number(share * 100)} %`);
export const money = (usd: number): string =>
  usd === 0 ? '$0' : `$${usd < 1 ? usd.toFixed(usd < 0.1 ? 3 : 2) : usd.toFixed(2)}`;

/** 17:09:41 */
export function clockTime(at: string | number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
/** 17:09 */
export const minuteTime = (at: string | number): string => clockTime(at).slice(0, 5);
/** Nov 12, with the year where it is another one. */
export function day(at: string | number, now = Date.now()): string {
  const date = new Date(at);
  const text = `${MONTHS[date.getMonth()]} ${date.getDate()}`;
  return date.getFullYear() === new Date(now).getFullYear() ? text : `${text}, ${date.getFullYear()}`;
}
/** Nov 12, 2026, 17:09:41 */
export function fullTimeOf(at: string | number): string {
  const date = new Date(at);
  return `${MONTHS[date.getMonth()]} ${date.getDate()}, ${date.getFullYear()}, ${clockTime(at)}`;
}

/** 17:09 today, else the day and the time. */
export function dayAndTime(at: string | number, now = Date.now()): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return isToday ? `${minuteTime(at)} today` : `${day(at, now)} ${minuteTime(at)}`;
}

const ISO_TIMES = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** A sentence of the service, with its times as people read them. */
export const withTimes = (sentence: string): string => sentence.replace(ISO_TIMES, (at) => dayAndTime(at));

/** now, 12 min, 2 h, 3 d, Nov 12 */
export function ago(at: string | number, now = Date.now()): string {
  const ms = now - new Date(at).getTime();
  if (ms < MINUTE) return 'now';
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  if (ms < 30 * DAY) return `${Math.floor(ms / DAY)} d`;
  return day(at, now);
}

/** < 1 ms, 12 ms, 1.4 s, 4 m 12 s, 2 h 5 m */
export function duration(ms: number): string {
  if (ms > 0 && ms < 0.5) return '< 1 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  // Rounded before it is divided, so that no part of it is 60.
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let size = n / 1024;
  let unit = 0;
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024;
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

/** 1 entry, 2 entries */
export const counted = (n: number, one: string, many = `${one}s`): string => `${number(n)} ${n === 1 ? one : many}`;

/** The end of an id: its beginning is the time, which neighbours share. */
export const shortId = (id: string): string => id.slice(-8);
