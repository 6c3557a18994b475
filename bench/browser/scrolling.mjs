import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../compare.mjs';
import { describe, framesDuring, LONG_MS, longest } from './frames.mjs';
import { memoryOf, openPage } from './open.mjs';

const RUNS = 5;
const LIMIT_MB = 200;
const TICK_MS = 16;
const JUMPS = 12;
/** Until the first answers are drawn. */
const FIRST_ANSWERS_MS = 2_000;

/** Turns the wheel by so many pixels at a time. */
async function turnWheel(page, { ticks, px }) {
  for (let i = 0; i < ticks; i++) {
    await page.mouse.wheel(0, px);
    await sleep(TICK_MS);
  }
}

/** As somebody looks through a long list: slowly, in haste, back, by keys to the end of what is known, and by dragging the thumb. */
async function lookThrough(page, name) {
  const grid = page.getByRole('grid', { name, exact: true });
  const box = await grid.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await turnWheel(page, { ticks: 120, px: 100 });
  await turnWheel(page, { ticks: 120, px: 1500 });
  await turnWheel(page, { ticks: 60, px: -1500 });
  await grid.focus();
  for (let i = 0; i < JUMPS; i++) {
    await page.keyboard.press('End');
    await sleep(100);
  }
  for (let i = 0; i < JUMPS; i++) {
    await grid.evaluate(
      (element, share) => {
        element.scrollTop = element.scrollHeight * share;
      },
      ((i * 7) % JUMPS) / JUMPS,
    );
    await sleep(100);
  }
  await page.keyboard.press('Home');
  await sleep(200);
}

/** How many rows the list knows of. */
const knownRows = (page, name) =>
  page.getByRole('grid', { name, exact: true }).evaluate((grid) => Number(grid.getAttribute('aria-rowcount')));

/** Frames and memory while a long list of a page is scrolled, in a new tab for each run. */
export async function* measureScrolling({ browser, url, key }, { figure, address, grid }) {
  const runs = [];
  const memory = [];
  let known = 0;
  for (let i = 0; i < RUNS; i++) {
    const { page, devtools, goto, close } = await openPage(browser, { url, key });
    await goto(address);
    await page.getByRole('grid', { name: grid, exact: true }).getByRole('row').first().waitFor();
    await sleep(FIRST_ANSWERS_MS);
    runs.push(await framesDuring(page, () => lookThrough(page, grid)));
    memory.push(await memoryOf(browser, devtools));
    known = Math.max(known, await knownRows(page, grid));
    await close();
  }
  const of = (name) => median(memory.map((one) => one[name]));
  const rows = `up to ${known.toLocaleString('en-US')} rows were passed in a run`;
  yield {
    figure: `scrolling ${figure}, longest frame, median of ${RUNS} runs`,
    unit: 'ms',
    ours: median(runs.map(longest)),
    limit: LONG_MS,
    note: `${describe(runs)}; ${rows}`,
  };
  yield {
    figure: `scrolling ${figure}, memory of the tab`,
    unit: 'MB',
    ours: of('ownMb'),
    limit: LIMIT_MB,
    note: `${of('heapMb').toFixed(0)} MB of it are objects of scripts`,
  };
}
