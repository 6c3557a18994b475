import { expect, test } from 'vitest';
import { judgeInTurns } from './in-turns.ts';

function* slowly(steps: number): Generator<void, number> {
  for (let step = 1; step <= steps; step++) {
    for (const end = performance.now() + 25; performance.now() < end; );
    yield;
  }
  return steps;
}

function* quickly(): Generator<void, 'done'> {
  for (let step = 1; step <= 100; step++) yield;
  return 'done';
}

test('between slow steps, of several judges and accounts too, others have many turns of the event loop', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  count();
  const judged = [judgeInTurns('one', slowly(4)), judgeInTurns('one', slowly(4)), judgeInTurns('two', slowly(4))];
  expect(await Promise.all(judged)).toEqual([4, 4, 4]);
  isOver = true;
  expect(turns).toBeGreaterThan(100);
});

test('quick judges of an account do not wait for the slow ones of another', async () => {
  const ended: string[] = [];
  const slow = Array.from({ length: 10 }, () => judgeInTurns('slow', slowly(4)).then(() => ended.push('slow')));
  await judgeInTurns('quick', quickly()).then(() => ended.push('quick'));
  await Promise.all(slow);
  expect(ended[0]).toBe('quick');
});
