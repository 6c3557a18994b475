import { pause, rest } from '@mem-service/server/module';

/** A step that takes longer is a slow expression: a request that waits for it needs more than one turn of the event loop. */
const LONG_STEP_MS = 20;
/** A rest is short: a service that stops waits for it. */
const NEVER = new AbortController().signal;

/** Accounts whose judges had a slow step, and until when they leave the event loop to others. */
const resting = new Map<string, number>();

/**
 * Judges in steps. After a long one the judges of its account rest, while those of others go on. The rests are as long as it takes
 * for the slow steps of all accounts together to have no more than half of the time.
 */
export async function judgeInTurns<T>(accountId: string, steps: Iterator<void, T>): Promise<T> {
  for (;;) {
    const turn = pause();
    if (turn !== undefined) await turn;
    for (let left = restOf(accountId); left > 0; left = restOf(accountId)) await rest(left, NEVER);
    const started = performance.now();
    const step = steps.next();
    const ended = performance.now();
    if (ended - started > LONG_STEP_MS) restAfter(accountId, ended, ended - started);
    if (step.done) return step.value;
  }
}

const restOf = (accountId: string): number => (resting.get(accountId) ?? 0) - performance.now();

function restAfter(accountId: string, now: number, tookMs: number): void {
  for (const [other, until] of resting) if (until <= now) resting.delete(other);
  resting.delete(accountId);
  resting.set(accountId, now + tookMs * (2 * resting.size + 1));
}
