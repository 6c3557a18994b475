// Photographs the dashboard for README.md and docs/dashboard.md: `npm run screenshots`, or with names of pictures only those.
// The pictures show the demo data on a temporary store, at times of one working hour. Fonts are those of the machine.
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { findBrowser } from '../tests/support/browser-program.ts';
import { fillStore } from './screenshots/fill.mjs';
import { pictures } from './screenshots/pictures.mjs';
import { serveStore } from './screenshots/serve.mjs';

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'docs', 'images');
const VIEWPORT = { width: 1440, height: 900 };
const SCALE = 1.25;
const MOST_BYTES = 150_000;
/** The first is without loss. */
const QUALITIES = [1, 0.95, 0.9, 0.8];
/** What is drawn after the last answer: charts, and the graph, whose layout is made beside the page. */
const DRAWN_AFTER_MS = 1_500;

const wanted = process.argv.slice(2);
const found = await findBrowser();
if (!('program' in found)) throw new Error(found.missing);
const store = mkdtempSync(join(tmpdir(), 'mem-screenshots-'));
const server = await serveStore(store);
const browser = await chromium.launch({ executablePath: found.program, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const places = await fillStore(server);
  await mkdir(folder, { recursive: true });
  for (const theme of ['light', 'dark'])
    for (const [name, picture] of Object.entries(pictures(places)))
      if (wanted.length === 0 || wanted.includes(name))
        await save(`${name}-${theme}.webp`, await photograph(picture, theme));
} finally {
  await browser.close();
  await server.close();
  rmSync(store, { recursive: true, force: true });
}

async function photograph({ address, shows, height = VIEWPORT.height }, theme) {
  const context = await browser.newContext({
    viewport: { ...VIEWPORT, height },
    deviceScaleFactor: SCALE,
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  try {
    const page = await context.newPage();
    await page.clock.setFixedTime(server.clock.now());
    await page.goto(`${server.url}/${address}`);
    for (const text of shows) await page.getByText(text).first().waitFor();
    await page.waitForTimeout(DRAWN_AFTER_MS);
    return await toWebp(context, await page.screenshot({ animations: 'disabled', caret: 'hide' }));
  } finally {
    await context.close();
  }
}

/** With as little loss as the size allows. The browser can do it, so no other program has to. */
async function toWebp(context, png) {
  const page = await context.newPage();
  const source = `data:image/png;base64,${png.toString('base64')}`;
  for (const quality of QUALITIES) {
    const bytes = Buffer.from(await page.evaluate(encode, { source, quality }), 'base64');
    if (bytes.length <= MOST_BYTES) return bytes;
  }
  throw new Error(`it has more than ${MOST_BYTES} bytes`);
}

/** Runs in the page. */
async function encode({ source, quality }) {
  const bitmap = await createImageBitmap(await (await fetch(source)).blob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('2d').drawImage(bitmap, 0, 0);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality })).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

async function save(name, bytes) {
  await writeFile(join(folder, name), bytes);
  console.log(`${name} ${Math.ceil(bytes.length / 1000)} kB`);
}
