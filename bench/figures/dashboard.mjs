import { measureBytes, measureInteractive } from '../browser/first-load.mjs';
import { fillGraph, measureGraph } from '../browser/graph.mjs';
import { measureLive } from '../browser/live.mjs';
import { openBrowser } from '../browser/open.mjs';
import { measureScrolling } from '../browser/scrolling.mjs';
import { headers } from '../harness.mjs';

const key = headers['x-mem-api-key'];

/** The dashboard in a real browser: all parts, or those with the text of `--operation` in their name. */
export async function* measureDashboard(harness) {
  const { operation = '' } = harness.options;
  const parts = { load: measureFirstLoad, lists: measureLists, live: measureBusy, graph: measureLargeGraph };
  const browser = await openBrowser(harness.programs);
  try {
    for (const [name, measure] of Object.entries(parts)) if (name.includes(operation)) yield* measure(harness, browser);
  } finally {
    await browser.close();
  }
}

async function* measureFirstLoad(harness, browser) {
  const place = await harness.events(harness.options.small);
  const { url } = await harness.service(place);
  yield* measureBytes({ browser, url, key });
  await harness.stopServers();
  yield* measureInteractive(harness, { place, browser, key });
}

async function* measureLists(harness, browser) {
  const { large } = harness.options;
  const many = large.toLocaleString('en-US');
  const lists = [
    { figure: `the list of ${many} entries`, address: '#/memory', grid: 'Entries', place: await harness.listed(large) },
    {
      figure: `the timeline of ${many} events`,
      address: '#/timeline',
      grid: 'Events',
      place: await harness.events(large),
    },
  ];
  for (const { place, ...list } of lists) {
    const { url } = await harness.service(place);
    yield* measureScrolling({ browser, url, key }, list);
    await harness.stopServers();
  }
}

async function* measureBusy(harness, browser) {
  const place = harness.copyOf(await harness.events(harness.options.small), 'dashboard-live');
  const service = await harness.service(place);
  yield* measureLive(service, { browser, key, seconds: harness.options.liveSeconds });
  await harness.stopServers();
}

async function* measureLargeGraph(harness, browser) {
  const service = await harness.service(harness.emptyPlace('dashboard-graph'));
  await fillGraph(service);
  yield* measureGraph(service, { browser, key });
  await harness.stopServers();
}
