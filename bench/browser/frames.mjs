/** Counts the time from each frame to the next, in the page itself, while something is done to it. */
export async function framesDuring(page, work) {
  await page.evaluate(`
    globalThis.benchFrames = [];
    globalThis.benchFramesGo = true;
    requestAnimationFrame(function step(at) {
      if (!benchFramesGo) return;
      benchFrames.push(at);
      requestAnimationFrame(step);
    });
  `);
  await work();
  const times = await page.evaluate('benchFramesGo = false; benchFrames');
  const frames = times.slice(1).map((at, i) => at - times[i]);
  return frames.sort((a, b) => a - b);
}

export const longest = (frames) => frames.at(-1) ?? 0;
export const at = (frames, share) => frames[Math.floor((frames.length - 1) * share)] ?? 0;

export const LONG_MS = 50;
/** For the note of a row. */
export const describe = (runs) => {
  const all = runs.flat().sort((a, b) => a - b);
  const over = all.filter((frame) => frame > LONG_MS).length;
  return `${all.length.toLocaleString('en-US')} frames, median ${at(all, 0.5).toFixed(0)} ms, p95 ${at(all, 0.95).toFixed(0)} ms, ${over} over ${LONG_MS} ms; longest of each run ${runs.map((run) => longest(run).toFixed(0)).join(', ')} ms`;
};
