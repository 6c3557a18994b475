import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { compare } from '../compare.mjs';
import { dist } from '../places.mjs';
import { openPage } from './open.mjs';

const LIMIT_KB = 250;
const KB = 1000;
/** Until the server runs compiled code. */
const WARM_UP_LOADS = 3;
const FLOOR = 'page-without-script.html';
const OTHER_PAGES = ['memory', 'search', 'timeline', 'traces', 'agents', 'admin/health'];

/** Sets `benchReady` when the page is there and two frames in a row were quick: then it answers. */
const readyWhen = (isThere) => `
  globalThis.benchReady = new Promise((resolve) => {
    let before = 0;
    let quick = 0;
    const look = (at) => {
      quick = ${isThere} && at - before < 50 ? quick + 1 : 0;
      before = at;
      if (quick === 2) setTimeout(() => resolve(performance.now()));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
`;
/** All of Overview has its answers, and the newest events are rows. */
const OVERVIEW_IS_THERE = `(
  document.querySelector('main table[aria-label="Live"] tbody tr') !== null &&
  document.querySelector('main [aria-label="Loading"]') === null)`;
const pageIsThere = (files) => `(
  document.readyState === 'complete' && performance.getEntriesByType('resource').length >= ${files})`;

/** What a page asked for until it was ready: of each answer the address, the kind and the bytes on the wire. */
function watchAnswers(devtools) {
  const answers = new Map();
  devtools.on('Network.requestWillBeSent', ({ requestId, request: { url }, type }) =>
    answers.set(requestId, { url, type, bytes: 0 }),
  );
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const answer = answers.get(requestId);
    if (answer) answer.bytes = encodedDataLength;
  });
  return () => [...answers.values()].filter(({ bytes }) => bytes > 0);
}

/** Opens a page in a window with an empty cache. */
async function load({ browser, url, key }, { address, isThere, encodings }) {
  const { page, devtools, goto, close } = await openPage(browser, { url, key });
  await devtools.send('Network.enable');
  if (encodings) await devtools.send('Network.setAcceptedEncodings', { encodings });
  const answers = watchAnswers(devtools);
  await page.addInitScript(readyWhen(isThere));
  await goto(address);
  await page.evaluate('benchReady');
  return { answers: answers(), page, goto, close };
}

/** Until it is ready, in ms. Its answers are not watched: the browser would report each request, which takes it time. */
async function timeLoad({ browser, url, key }, { address, isThere }) {
  const { page, goto, close } = await openPage(browser, { url, key });
  await page.addInitScript(readyWhen(isThere));
  await goto(address);
  const ms = await page.evaluate('benchReady');
  await close();
  return ms;
}

const total = (answers) => answers.reduce((sum, { bytes }) => sum + bytes, 0);
const overview = { address: '', isThere: OVERVIEW_IS_THERE };

/** Bytes until Overview is whole, which is later than its first paint; and that every other page brings scripts of its own. */
export async function* measureBytes(context) {
  const { answers, page, goto, close } = await load(context, { ...overview, encodings: ['gzip'] });
  const scripts = new Set(answers.filter(({ type }) => type === 'Script').map(({ url }) => url));
  const files = answers.filter(({ type }) => !['Fetch', 'XHR'].includes(type));
  const known = scripts.size;
  page.on('request', (request) => request.resourceType() === 'script' && scripts.add(request.url()));
  for (const other of OTHER_PAGES) {
    const before = scripts.size;
    await goto(`#/${other}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    if (scripts.size === before) throw new Error(`the page ${other} has no script of its own: routes are not split`);
  }
  await close();
  yield {
    figure: 'first load of Overview, gzip',
    unit: 'kB',
    ours: total(answers) / KB,
    limit: LIMIT_KB,
    note: `${(total(files) / KB).toFixed(0)} kB of files and ${(total(answers) / KB - total(files) / KB).toFixed(0)} kB of answers; ${known} of the ${scripts.size} scripts of Overview and ${OTHER_PAGES.length} other pages, each of which brings its own`,
  };
}

/** A build of the service with one page more: the same files as Overview loads and as many bytes as its answers, but no script. */
function withFloor(folder, answers) {
  const copy = join(folder, 'dist');
  cpSync(dist, copy, { recursive: true });
  const files = answers.filter(({ type }) => type === 'Script').map(({ url }) => new URL(url).pathname);
  const fetched = total(answers.filter(({ type }) => type === 'Fetch' || type === 'XHR'));
  const preloads = files.map((file) => `<link rel="preload" as="script" crossorigin href="${file}">`);
  // Random text keeps three of four bytes when it is compressed.
  const padding = randomBytes(fetched).toString('base64');
  const html = readFileSync(join(copy, 'dashboard', 'index.html'), 'utf8')
    .replaceAll(/<script.*?<\/script>|<link rel="modulepreload".*?>/g, '')
    .replaceAll('"./dashboard/', '"/dashboard/')
    .replace('</head>', `${preloads.join('')}</head>`)
    .replace('</body>', `<h1>Overview</h1><template>${padding}</template></body>`);
  const to = join(copy, 'dashboard', FLOOR);
  writeFileSync(to, html);
  writeFileSync(`${to}.gz`, gzipSync(html));
  writeFileSync(`${to}.br`, brotliCompressSync(html));
  return join(copy, 'mem.js');
}

/** From nothing to a page that answers, against a page of as many bytes without script, of the same server. */
export async function* measureInteractive(harness, { place, browser, key }) {
  const first = await harness.service(place);
  const { answers, close } = await load({ browser, url: first.url, key }, overview);
  await close();
  await harness.stopServers();
  const scripts = answers.filter(({ type }) => type === 'Script').length;
  const { url } = await harness.service(place, { file: withFloor(harness.folder, answers) });
  const context = { browser, url, key };
  const floorPage = { address: `dashboard/${FLOOR}`, isThere: pageIsThere(scripts + 1) };
  const measure = async (what) => ({ value: await timeLoad(context, what), non2xx: 0 });
  const floor = () => measure(floorPage);
  const ours = () => measure(overview);
  for (let i = 0; i < WARM_UP_LOADS; i++) for (const one of [floor, ours]) await one();
  const result = await compare(harness.options.repeats, floor, ours);
  const kbOf = async (what) => {
    const loaded = await load(context, what);
    await loaded.close();
    return `${(total(loaded.answers) / KB).toFixed(0)} kB`;
  };
  const note = `${await kbOf(overview)} as the browser asks for them, ${await kbOf(floorPage)} without script`;
  yield { figure: 'Overview interactive, empty cache', unit: 'ms', target: { most: 3 }, ...result, note };
  await harness.stopServers();
}
