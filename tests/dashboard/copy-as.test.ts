import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { askingPages, useEveryPage, waitForPage } from './support/every-page.ts';
import { expectNoSidewaysScroll } from './support/window.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const PHONE = { width: 375, height: 812 };

const copyAs = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Copy as', exact: true });
const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

async function copy(page: Page, form: string): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('menuitem', { name: form }).click();
  await page.getByText('Copied').first().waitFor();
  // The note may be that of the copy before.
  await expect.poll(() => copied(page)).not.toBe('');
  return copied(page);
}

/** Runs a module as somebody does who has installed the SDK. */
async function runModule(contents: string, key: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mem-copied-'));
  const outfile = join(folder, 'copied.mjs');
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', conditions: ['source'], logLevel: 'silent' },
  });
  const { stdout } = await run(process.execPath, [outfile], { env: { ...process.env, MEM_API_KEY: key } });
  await rm(folder, { recursive: true });
  return stdout;
}

describe('Copy as', () => {
  const { account, newWindow, open, visit } = useEveryPage();

  it('is on every page of a phone, within the window', async () => {
    const opened = await newWindow(account().key);
    const { page } = opened;
    await page.setViewportSize(PHONE);
    const without: string[] = [];
    for (const listed of askingPages) {
      await visit(page, listed.address);
      await waitForPage(opened, listed);
      await expectNoSidewaysScroll(page, listed.id);
      if ((await copyAs(page).and(page.locator(':visible')).count()) === 0) without.push(listed.id);
    }
    expect(without).toEqual([]);
  });

  it.each(['#/overview', '#/memory', '#/search?q=retry', '#/agents', '#/admin/usage'])(
    'copies curl on a phone, from the page and from the palette: %s',
    async (address) => {
      const { page } = await open(address);
      await page.setViewportSize(PHONE);
      await copyAs(page).first().click();
      const command = await copy(page, 'curl');
      const { stdout } = await run('sh', ['-c', command.replace('curl ', 'curl -sSf ')], {
        env: { ...process.env, MEM_API_KEY: account().key },
      });
      expect(Object.keys(JSON.parse(stdout)).length).toBeGreaterThan(0);
      await page.evaluate('navigator.clipboard.writeText("")');
      await page.getByRole('button', { name: /^Search or jump to/ }).click();
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill('copy as');
      await page.getByRole('option', { name: 'Copy as curl, SDK or MCP call' }).click();
      expect(await copy(page, 'curl')).toBe(command);
    },
  );

  it('copies the address where a page asks nothing', async () => {
    const { page } = await open('#/nowhere');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.keyboard.press('c');
    await expect.poll(() => copied(page)).toBe(page.url());
  });

  it.each([
    ['#/overview', 'counts'],
    ['#/memory?min=0.5', 'entries'],
    ['#/search?q=retry', 'entries'],
    ['#/traces', 'traces'],
    ['#/branches', 'branches'],
    ['#/admin/transfer', 'format'],
  ])('copies an SDK call that runs: %s', async (address, answered) => {
    const { page } = await open(address);
    await copyAs(page).first().click();
    expect(await runModule(await copy(page, 'SDK call'), account().key)).toContain(answered);
  });
});
