let minute = Number.NaN;
let prefix = '';

const twoDigits = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'));

/** `toISOString`, where most times are of the same minute: 0.1 µs a call instead of 1.1. */
export function isoOfMs(ms: number): string {
  const whole = Math.floor(ms);
  const at = Math.floor(whole / 60_000);
  if (at !== minute) {
    prefix = new Date(at * 60_000).toISOString().slice(0, -7);
    minute = at;
  }
  const rest = whole - at * 60_000;
  const seconds = Math.floor(rest / 1000);
  const millis = rest - seconds * 1000;
  const zeros = millis < 10 ? '00' : millis < 100 ? '0' : '';
  return `${prefix}${twoDigits[seconds]}.${zeros}${millis}Z`;
}
