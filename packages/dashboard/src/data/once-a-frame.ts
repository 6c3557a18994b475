/** A frame that never comes, as of a hidden tab, is not waited for. */
const LONGEST_MS = 100;

let waiting: (() => void)[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let frame = 0;

function runAll(): void {
  cancelAnimationFrame(frame);
  clearTimeout(timer);
  timer = undefined;
  const all = waiting;
  waiting = [];
  for (const run of all) run();
}

/** Runs with all others before the next frame: answers that come together are drawn together. */
export function onceAFrame(run: () => void): void {
  waiting.push(run);
  if (timer !== undefined) return;
  timer = setTimeout(runAll, LONGEST_MS);
  frame = requestAnimationFrame(runAll);
}
