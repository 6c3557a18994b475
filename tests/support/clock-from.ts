import type { Clock } from '../../packages/server/src/kernel/clock.ts';

/** A clock that begins at a time and runs: a process of its own cannot wait for a test to advance its clock. */
export const clockFrom = (start: number): Clock => {
  const ahead = start - Date.now();
  return { now: () => Date.now() + ahead };
};
