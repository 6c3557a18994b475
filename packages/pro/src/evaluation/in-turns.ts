import { pause, rest } from '@mem-service/server/module';

/** A step that takes longer is a slow expression: a request that waits for it needs more than one turn of the event loop. */
const LONG_STEP_MS = 20;
/** A rest is short: a service that stops waits for it. */
const NEVER = new AbortController().signal;

/** Until then the event loop is for other work, in all accounts. */
let restUntil = 0;

/** Judges in steps. Each long one is followed by as long a rest, so that judges never take more than half of the time. */
export async function judgeInTurns<T>(steps: Iterator<void, T>): Promise<T> {
  for (;;) {
    const turn = pause();
    if (turn !== undefined) await turn;
    for (let left = restUntil - performance.now(); left > 0; left = restUntil - performance.now())
      await rest(left, NEVER);
    const started = performance.now();
    const step = steps.next();
    const ended = performance.now();
    if (ended - started > LONG_STEP_MS) restUntil = ended + (ended - started);
    if (step.done) return step.value;
  }
}
