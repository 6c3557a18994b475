import { expect, it } from 'vitest';
import { type LookedEntry, MAX_COMPARED } from './path-facts.ts';
import { TextComparison } from './similar.ts';

const THRESHOLD = 0.75;
const entryOf = (text: string | undefined) => ({ text }) as LookedEntry;

function pairsOf(comparison: TextComparison, texts: readonly (string | undefined)[]): [number, number, number][] {
  const entries = texts.map(entryOf);
  const steps = comparison.pairsOf(entries, THRESHOLD);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value.map(({ one, other, shared }) => [entries.indexOf(one), entries.indexOf(other), shared]);
}

const GATEWAY = 'the gateway of the shop waits for an answer';

it('texts that share their words are pairs, in another order and with other numbers too', () => {
  const texts = [GATEWAY, 'Retries are left to clients', undefined, 'For an answer the gateway of the shop waits 30 s'];
  expect(pairsOf(new TextComparison(), texts)).toEqual([[0, 3, 8]]);
  expect(pairsOf(new TextComparison(), [GATEWAY, `${GATEWAY} never`])).toEqual([[0, 1, 8]]);
});

it('texts with few words, and a text alone, are no pairs', () => {
  expect(pairsOf(new TextComparison(), ['waits for long', 'waits for long'])).toEqual([]);
  expect(pairsOf(new TextComparison(), [GATEWAY])).toEqual([]);
});

it('a text is compared with those of its own path alone, however many came before', () => {
  const comparison = new TextComparison();
  const wordOf = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  const many = Array.from({ length: MAX_COMPARED }, (_, n) =>
    Array.from({ length: 8 }, (_, i) => wordOf(8 * n + i + 1_000_000)).join(' '),
  );
  expect(pairsOf(comparison, many)).toEqual([]);
  expect(pairsOf(comparison, [many[7], GATEWAY, many[8]])).toEqual([]);
  expect(pairsOf(comparison, [...many.slice(0, -1), many[500]])).toEqual([[500, MAX_COMPARED - 1, 8]]);
});
