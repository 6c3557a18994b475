import { expect, it } from 'vitest';
import { oneAhead } from './one-ahead.ts';

const collect = async <T>(made: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const one of made) all.push(one);
  return all;
};

it('what is made ahead comes in order, one at a time, and one more is made than was used', async () => {
  const begun: number[] = [];
  let running = 0;
  const make = async (n: number) => {
    begun.push(n);
    expect(++running).toBe(1);
    await new Promise(setImmediate);
    running--;
    return 10 * n;
  };
  const made = oneAhead([1, 2, 3], make);
  expect(begun).toEqual([]);
  expect(await made.next()).toEqual({ done: false, value: 10 });
  expect(begun).toEqual([1, 2]);
  expect(await collect(made)).toEqual([20, 30]);
  expect(await collect(oneAhead([], make))).toEqual([]);
});

it('what is made ahead fails when it is asked for', async () => {
  const made = oneAhead([1, 2, 3], async (n) => {
    if (n === 2) throw new Error('two');
    return n;
  });
  expect((await made.next()).value).toBe(1);
  await new Promise(setImmediate);
  await expect(made.next()).rejects.toThrow('two');
});
