import { setTimeout as sleep } from 'node:timers/promises';
import { ask, newRun } from '../harness.mjs';
import { describe, framesDuring } from './frames.mjs';
import { metricsOf, openPage } from './open.mjs';

const RATE = 100;
const MOST_BUSY_PERCENT = 50;
const CATCH_UP_MS = 10_000;

/** Every row that the list of live events has ever shown, by the key of the entry that was written. */
const WATCH_ROWS = `
  globalThis.benchSeen = new Set();
  const look = (row) => {
    const key = /live-\\d+-[a-z0-9]+/.exec(row.textContent)?.[0];
    if (key) benchSeen.add(key);
  };
  const list = document.querySelector('table[aria-label="Live"]').closest('section');
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node.nodeType === 1) for (const row of node.matches('tr') ? [node] : node.querySelectorAll('tr')) look(row);
  }).observe(list, { childList: true, subtree: true });
`;

/** Writes entries at this rate, and returns how many writes were refused. */
async function writeSteadily(service, { seconds, run }) {
  const total = seconds * RATE;
  const began = performance.now();
  const answers = [];
  for (let n = 0; n < total; ) {
    for (const due = Math.min(total, ((performance.now() - began) / 1000) * RATE); n < due; n++)
      answers.push(
        ask(service, {
          method: 'POST',
          path: '/api/v1/entries',
          body: JSON.stringify({ entity_path: 'bench/live', key: `live-${n}-${run}`, value: { n }, confidence: 0.8 }),
        }).then(
          () => 0,
          () => 1,
        ),
      );
    await sleep(2);
  }
  return (await Promise.all(answers)).reduce((sum, refused) => sum + refused, 0);
}

/** Overview while much is written: every event must have been a row of its list, and the main thread must have time left. */
export async function* measureLive(service, { browser, key, seconds }) {
  const { page, devtools, goto, close } = await openPage(browser, { url: service.url, key });
  await goto('#/overview');
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  await writeSteadily(service, { seconds: 0.01, run: newRun() });
  await page.locator('table[aria-label="Live"] tbody tr').first().waitFor();
  await page.evaluate(WATCH_ROWS);
  const before = await metricsOf(devtools);
  let refused = 0;
  const frames = await framesDuring(page, async () => {
    refused = await writeSteadily(service, { seconds, run: newRun() });
  });
  const after = await metricsOf(devtools);
  const written = seconds * RATE - refused;
  const seen = () => page.evaluate('benchSeen.size');
  for (const deadline = performance.now() + CATCH_UP_MS; (await seen()) < written && performance.now() < deadline; )
    await sleep(100);
  const missed = written - (await seen());
  await close();
  const what = `live, ${RATE} events/s for ${seconds} s with Overview open`;
  yield {
    figure: `${what}: events that were not shown`,
    unit: 'events',
    ours: missed,
    limit: 0,
    non2xx: refused,
    note: `${written.toLocaleString('en-US')} were written`,
  };
  yield {
    figure: `${what}: main thread busy`,
    unit: '%',
    ours: (100 * (after.busy - before.busy)) / (after.at - before.at),
    limit: MOST_BUSY_PERCENT,
    note: `${((100 * (after.cpu - before.cpu)) / (after.at - before.at)).toFixed(0)} % of the time of a processor; ${describe([frames])}`,
  };
}
