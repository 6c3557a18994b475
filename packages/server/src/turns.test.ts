import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { giveWay } from './turns.ts';

it('work in the background rests while others keep the event loop busy', async () => {
  let isResting = true;
  const rested = giveWay(50, new AbortController().signal).then(() => {
    isResting = false;
  });
  let turns = 0;
  for (; isResting; turns++) {
    for (const until = performance.now() + 5; performance.now() < until; );
    await nextTurn();
  }
  await rested;
  // Where nobody else works it rests for a quarter of the time, which is three of these turns.
  expect(turns).toBeGreaterThan(20);
});

it('a rest ends when the service stops', async () => {
  const stop = new AbortController();
  const rested = giveWay(3_600_000, stop.signal);
  stop.abort();
  await rested;
});
