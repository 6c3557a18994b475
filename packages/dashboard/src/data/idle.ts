/** So many at a time, so that a frame is never late because of them. */
const AT_ONCE = 3;
/** They are not put off for longer than this, however busy the browser is. */
const LATEST_MS = 300;

const waiting: (() => void)[] = [];

function takeTurn(): void {
  for (const run of waiting.splice(0, AT_ONCE)) run();
  if (waiting.length > 0) schedule();
}

function schedule(): void {
  if (typeof requestIdleCallback === 'undefined') setTimeout(takeTurn);
  else requestIdleCallback(takeTurn, { timeout: LATEST_MS });
}

/** Waits until the browser has time left: for what nobody waits for. */
export const idle = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) schedule();
  });
