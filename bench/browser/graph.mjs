import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../compare.mjs';
import { ask } from '../harness.mjs';
import { describe, framesDuring, LONG_MS, longest } from './frames.mjs';
import { openPage } from './open.mjs';

const RUNS = 5;
const NODES = 5000;
const AGENTS = 60;
/** As many as the map shows at most. */
const OUTCOMES = 200;
const PATHS = NODES - AGENTS - OUTCOMES;
const AT_ONCE = 16;
const TICK_MS = 16;
const MOVES = 150;

const post = (service, path, body) => ask(service, { method: 'POST', path, body: JSON.stringify(body) });

async function inGroups(count, work) {
  for (let from = 0; from < count; from += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => work(from + i)));
}

/** Agents that write to paths, some of them to the same ones, and outcomes that came of what they wrote. */
export async function fillGraph(service) {
  const agentOf = (n) => `agent-${n % AGENTS}`;
  const pathOf = (n) => `team-${n % 40}/service-${n % PATHS}`;
  const write = (n, agent_id) =>
    post(service, '/api/v1/entries', { entity_path: pathOf(n), key: 'state', value: { n, agent_id }, agent_id });
  await inGroups(PATHS, (n) => write(n, agentOf(n)));
  await inGroups(PATHS, (n) => write(n, agentOf(n * 7 + 3)));
  await inGroups(OUTCOMES, (n) =>
    post(service, '/api/v1/outcomes', {
      outcome_ref: `task-${n}`,
      outcome_type: n % 5 === 0 ? 'failure' : 'success',
      causal_entry_keys: [0, 1, 2].map((i) => `${pathOf(n * 3 + i)}/state`),
      agent_id: agentOf(n),
    }),
  );
}

async function pan(page, { x, y }) {
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 0; i < MOVES; i++) {
    await page.mouse.move(x + 300 * Math.sin(i / 12), y + 200 * Math.sin(i / 9));
    await sleep(TICK_MS);
  }
  await page.mouse.up();
}

async function zoom(page, { x, y }) {
  await page.mouse.move(x, y);
  for (let i = 0; i < MOVES; i++) {
    await page.mouse.wheel(0, i % 100 < 50 ? -60 : 60);
    await sleep(TICK_MS);
  }
}

/** Frames while a large graph is laid out, dragged and zoomed. */
export async function* measureGraph(service, { browser, key }) {
  const measured = { 'is laid out': [], 'is dragged': [], 'is zoomed': [] };
  let nodes = '';
  for (let run = 0; run < RUNS; run++) {
    const { page, goto, close } = await openPage(browser, { url: service.url, key });
    await goto(`#/agents?view=graph&nodes=${NODES}`);
    const canvas = page.getByRole('application');
    await canvas.waitFor();
    nodes = await canvas.getAttribute('aria-label');
    measured['is laid out'].push(await framesDuring(page, () => page.locator('canvas[data-settled]').waitFor()));
    const box = await canvas.boundingBox();
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    measured['is dragged'].push(await framesDuring(page, () => pan(page, middle)));
    measured['is zoomed'].push(await framesDuring(page, () => zoom(page, middle)));
    await close();
  }
  for (const [what, runs] of Object.entries(measured))
    yield {
      figure: `graph of ${NODES.toLocaleString('en-US')} nodes while it ${what}, longest frame, median of ${RUNS} runs`,
      unit: 'ms',
      ours: median(runs.map(longest)),
      limit: LONG_MS,
      note: `${describe(runs)}; ${nodes}`,
    };
}
