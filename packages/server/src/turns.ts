import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** How long the steps of a request keep the event loop before others get their turn. */
const TURN_MS = 8;
/** The same within a transaction: others that write wait for its end. */
const TRANSACTION_TURN_MS = 20;

let turnStarted: number | undefined;

/** Whether the work of this turn of the event loop has taken so long that others should get theirs. */
function isTurnOver(afterMs: number): boolean {
  if (turnStarted !== undefined) return performance.now() - turnStarted > afterMs;
  turnStarted = performance.now();
  setImmediate(() => {
    turnStarted = undefined;
  });
  return false;
}

/**
 * To be awaited between the steps of long work. Returns a promise, of the next turn of the event loop, only when this one
 * has taken long.
 */
export const pause = (): Promise<void> | undefined => (isTurnOver(TURN_MS) ? nextTurn() : undefined);

/** Runs work in steps, and lets other requests have their turn in between. */
export async function inTurns<T>(steps: Iterator<void, T>): Promise<T> {
  for (;;) {
    await pause();
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The next turn of the event loop, for a transaction that has taken long in this one. */
export const turnEnd = (): Promise<void> | undefined => (isTurnOver(TRANSACTION_TURN_MS) ? nextTurn() : undefined);

/** Goes on at once as long as this turn has time for it. Returns a promise only when it took longer. */
export function untilTurnEnds<T>(steps: Iterator<void, T>, endOfTurn = turnEnd): T | Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    const end = endOfTurn();
    if (end !== undefined) return end.then(() => untilTurnEnds(steps, endOfTurn));
  }
}

/** Leaves the machine to others for so long, or until the service stops. */
export const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

/** It rests so many times as long as it worked where others need the event loop all the time. */
const BUSY_RESTS = 16;
const MAX_REST_MS = 2_000;
/** The same where nobody else has anything to do: enough to see what comes in. */
const IDLE_RESTS = 0.25;
const LEAST_REST_MS = 1;
const LOOKS_EVERY_MS = 100;

/**
 * Between the parts of long work in the background: rests after one for as long as others use the event loop, in proportion to how
 * busy they keep it. So the work goes on at nearly full speed on a server that is idle, and readers hardly notice it on one that is not.
 */
export async function giveWay(workedMs: number, signal: AbortSignal): Promise<void> {
  const began = performance.eventLoopUtilization();
  const started = performance.now();
  let wanted = Math.max(LEAST_REST_MS, workedMs * IDLE_RESTS);
  for (let rested = 0; rested < wanted && !signal.aborted; rested = performance.now() - started) {
    await rest(Math.min(wanted - rested, LOOKS_EVERY_MS), signal);
    const { utilization } = performance.eventLoopUtilization(began);
    wanted = Math.min(workedMs * BUSY_RESTS * utilization, MAX_REST_MS);
  }
}
