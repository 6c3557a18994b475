import { closeSync, openSync, readSync } from 'node:fs';

/** The longest turn of the event loop while the work runs, in milliseconds of this thread's processor time. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const stat = openSync('/proc/thread-self/schedstat', 'r');
  const bytes = Buffer.alloc(64);
  const cpuMs = () => Number.parseInt(bytes.toString('latin1', 0, readSync(stat, bytes, 0, 64, 0)), 10) / 1e6;
  let longest = 0;
  let last = cpuMs();
  let ended = false;
  const turn = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (ended) closeSync(stat);
    else setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    longest = Math.max(longest, cpuMs() - last);
    ended = true;
  }
  return longest;
}

/** The same for work that can be done again: the code may have to be compiled the first time. */
export async function longestTurnOf(work: (n: number) => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 3; n++) least = Math.min(least, await longestTurn(() => work(n)));
  return least;
}
