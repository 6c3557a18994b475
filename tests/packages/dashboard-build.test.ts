import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { root } from './npm.ts';

type BuiltFile = { path: string; contents: Uint8Array | string };

/** What pages have. */
declare const getComputedStyle: (element: unknown) => { color: string };

/** A small app with everything that the build has to know of. */
const SOURCES = {
  'index.html':
    '<!doctype html><html><head><title>t</title><!-- files --></head><body><div id="root"></div></body></html>',
  'src/first.ts': `document.documentElement.dataset.theme = 'dark';`,
  'src/base.css': 'body { margin: 7px; }',
  'src/button.module.css': '.button { color: rgb(1, 1, 1); }',
  'src/main.tsx': `import './base.css';
import { createRoot } from 'react-dom/client';
import { Button } from './button.tsx';
const { Page } = await import('./pages/page.tsx');
createRoot(document.getElementById('root') as HTMLElement).render(<main><Button kind="" /><Page /></main>);
new Worker(new URL('./add.worker.ts', import.meta.url), { type: 'module' }).onmessage = ({ data }) => {
  document.documentElement.dataset.sum = data;
};`,
  'src/button.tsx': `import styles from './button.module.css';
export const Button = ({ kind }: { kind: string }) => <button className={styles.button + ' ' + kind} />;`,
  'src/pages/page.tsx': `import { Button } from '../button.tsx';
import styles from './page.module.css';
export const Page = () => <Button kind={styles.wide ?? ''} />;`,
  // The same name as in another file, and an order that matters: it is stronger than what it is added to.
  'src/pages/page.module.css': '.wide { color: rgb(2, 2, 2); } .button { color: rgb(3, 3, 3); }',
  'src/add.worker.ts': `import { forceX } from 'd3-force';
import { one } from './one.ts';
postMessage(String(one + one + typeof forceX));`,
  'src/one.ts': 'export const one = 1;',
};

describe('the build of a dashboard', () => {
  let folder: string;
  let files: BuiltFile[];
  const built = (pattern: RegExp) => files.filter(({ path }) => pattern.test(path)).map(({ path }) => path);
  const textOf = (path: string) => Buffer.from(files.find((file) => file.path === path)?.contents ?? '').toString();
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mem-dashboard-'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const [path, text] of Object.entries(SOURCES)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const script: string = join(root, 'scripts', 'dashboard.mjs');
    const { dashboardFiles } = (await import(script)) as { dashboardFiles(from: string): Promise<BuiltFile[]> };
    files = await dashboardFiles(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('makes a page that names what runs first, then the styles, then the app', () => {
    const named = [
      ...textOf('index.html').matchAll(/<(\w+)[^>]*(?:src|href)="\.\/dashboard\/([\w.-]+?)-[A-Z0-9]{8}\.(\w+)"/g),
    ];
    expect(named.map(([, tag, name, type]) => [tag, `${name}.${type}`])).toEqual([
      ['script', 'first.js'],
      ['link', 'main.css'],
      ...named.slice(2, -1).map(() => ['link', expect.stringContaining('.js')]),
      ['script', 'main.js'],
    ]);
    expect(textOf(built(/^first-.*\.js$/)[0] as string)).not.toMatch(/\bimport\b|\bexport\b/);
  });

  it('splits what is loaded later, and has all styles in one file', () => {
    expect(built(/^page-[A-Z0-9]{8}\.js$/)).toHaveLength(1);
    expect(built(/\.css$/)).toHaveLength(1);
    const styles = textOf(built(/\.css$/)[0] as string);
    expect(styles.match(/color:/g)).toHaveLength(3);
    expect(styles).not.toMatch(/\.(button|wide)\b/);
  });

  it('compresses each file in two ways, makes no maps, and lists the licences', () => {
    const plain = built(/\.(html|js|css)$/);
    expect(built(/\.(gz|br)$/).sort()).toEqual(plain.flatMap((path) => [`${path}.br`, `${path}.gz`]).sort());
    expect(built(/\.map$/)).toEqual([]);
    for (const name of ['react-dom', 'd3-force']) expect(textOf('THIRD-PARTY-LICENSES.txt')).toContain(`${name} `);
  });

  describe('in a browser', () => {
    const newPage = useBrowser();

    it('runs, with its styles, its page and its worker', async () => {
      const types: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
      const server = createServer(({ url = '' }, response) => {
        const path = url === '/' ? 'index.html' : url.replace('/dashboard/', '');
        const type = types[path.split('.').at(-1) as string] ?? 'text/plain';
        response.writeHead(textOf(path) === '' ? 404 : 200, { 'content-type': type }).end(textOf(path));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { page, complaints } = await newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await page.locator('html[data-sum="2function"][data-theme="dark"]').waitFor();
      const buttons = page.locator('button');
      await buttons.nth(1).waitFor();
      const colours = await buttons.evaluateAll((all) => all.map((one) => getComputedStyle(one).color));
      expect(colours).toEqual(['rgb(1, 1, 1)', 'rgb(2, 2, 2)']);
      expect(complaints.filter((text) => !text.includes('favicon'))).toEqual([]);
      server.close().closeAllConnections();
    });
  });
});
