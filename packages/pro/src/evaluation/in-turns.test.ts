import { expect, test } from 'vitest';
import { judgeInTurns } from './in-turns.ts';

function* slowly(steps: number): Generator<void, number> {
  for (let step = 1; step <= steps; step++) {
    for (const end = performance.now() + 25; performance.now() < end; );
    yield;
  }
  return steps;
}

test('between slow steps, of several judges too, others have many turns of the event loop', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  count();
  expect(await Promise.all([judgeInTurns(slowly(4)), judgeInTurns(slowly(4))])).toEqual([4, 4]);
  isOver = true;
  expect(turns).toBeGreaterThan(100);
});
