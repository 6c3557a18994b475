// Sequences of sessions to measure anticipation on: made ones of several habits, and recorded ones.
import { readFileSync } from 'node:fs';

const SCOPES = Array.from({ length: 12 }, (_, n) => `area-${n % 4}/part-${n}`);

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(seed) {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = (random, list) => list[Math.floor(random() * list.length)];

/** How agents may move between scopes: each returns a function that makes the next session. */
const HABITS = {
  'stays for a while': (random) => {
    let at = pick(random, SCOPES);
    return () => {
      if (random() < 0.25) at = pick(random, SCOPES);
      return random() < 0.3 ? [at, pick(random, SCOPES)] : [at];
    };
  },
  'goes in circles': (random) => {
    const circle = SCOPES.slice(0, 2 + Math.floor(random() * 4));
    let at = 0;
    return () => [random() < 0.1 ? pick(random, SCOPES) : circle[at++ % circle.length]];
  },
  'has favourites': (random) => {
    const chances = SCOPES.map((_, n) => 0.9 / (n + 1));
    return () => SCOPES.filter((_, n) => random() < chances[n]);
  },
  'changes its habits': (random) => {
    let n = 0;
    return () => {
      const half = n++ % 60 < 30 ? SCOPES.slice(0, 6) : SCOPES.slice(6);
      return half.filter(() => random() < 0.35);
    };
  },
  'reads at random': (random) => () => SCOPES.filter(() => random() < 0.15),
};

/** `{ name, sessions }`, as many of each habit as there are seeds. */
export const madeSequences = (seeds, length = 80) =>
  Object.entries(HABITS).flatMap(([name, habit]) =>
    seeds.map((seed) => {
      const next = habit(randomFrom(seed));
      return { name, sessions: Array.from({ length }, () => [...new Set(next())]).filter((one) => one.length > 0) };
    }),
  );

/** What 500 pieces of work on a project touched, one after another. */
export const recordedSessions = () =>
  readFileSync(new URL('recorded-sessions.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
