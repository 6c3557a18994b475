import { expect, it } from 'vitest';
import { AnswersInFlight } from './answers-in-flight.ts';
import { OpenLines, ReaderTime } from './lines.ts';

const KB = 1024;
const STALL_MS = 30_000;

function open(inAll: number): { lines: OpenLines; inFlight: AnswersInFlight } {
  const inFlight = new AnswersInFlight({ perAccount: 2000 * KB, inAll: 6000 * KB });
  const sizes = { page: 500 * KB, document: 100 * KB };
  return { lines: new OpenLines({ inFlight, sizes, stallMs: STALL_MS }, { perAccount: 2, inAll }), inFlight };
}

it('answers in lines are bounded for an account and in all, and count among the answers in flight', async () => {
  const { lines, inFlight } = open(3);
  const leave = [await lines.begin('a'), await lines.begin('a'), await lines.begin('b')];
  expect(inFlight.unread).toBe(3 * 500 * KB);
  await expect(lines.begin('a')).rejects.toThrow(/exports of this account are under way/);
  await expect(lines.begin('c')).rejects.toMatchObject({ code: 'unavailable', detail: { retry_after: 5 } });
  await expect(lines.begin('c')).rejects.toThrow(/exports of this service are under way/);
  for (const one of leave) one();
  expect(inFlight.unread).toBe(0);
  await lines.begin('c');
});

it('one that finds no room among the answers in flight keeps no place', async () => {
  const { lines, inFlight } = open(3);
  const whole = 1800 * KB;
  void inFlight.begin('a', whole);
  const taken = inFlight.made('a', whole, whole);
  for (let i = 0; i < 3; i++) await expect(lines.begin('a')).rejects.toThrow(/not read yet/);
  taken();
  for (let i = 0; i < 2; i++) await lines.begin('a');
});

/** How long a reader that takes so many bytes a second lasts. */
function lastsFor(bytesPerSecond: number, chunk = 64 * KB): number {
  const time = new ReaderTime(STALL_MS);
  const each = (chunk / bytesPerSecond) * 1000;
  let ms = 0;
  for (; ms < 3_600_000; ms += each) {
    const allowed = time.allow(chunk);
    if (each > allowed) return ms + allowed;
    time.use(each);
  }
  return Number.POSITIVE_INFINITY;
}

it('a reader has to take 16 KiB a second on average', () => {
  expect(lastsFor(17 * KB)).toBe(Number.POSITIVE_INFINITY);
  expect(lastsFor(8 * KB)).toBe(62_000);
  expect(lastsFor(1)).toBe(34_000);
});

it('a reader that took much does not earn more time than others have', () => {
  const time = new ReaderTime(STALL_MS);
  for (let i = 0; i < 10_000; i++) time.allow(1024 * KB);
  expect(time.allow(64 * KB)).toBe(34_000);
});
