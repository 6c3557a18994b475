import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { useMemory } from './support/memory.ts';
import { cutPx, expectNoSidewaysScroll, wear } from './support/window.ts';

const run = promisify(execFile);
const copyButton = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Copy', exact: true });

async function copy(page: Page): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await copyButton(page).click();
  return page.evaluate<string>('navigator.clipboard.readText()');
}

const runAll = (commands: string) => run('sh', ['-ec', commands.replaceAll(/^curl /gm, 'curl -sSf ')]);

async function runCopied(page: Page): Promise<string> {
  const commands = await copy(page);
  await runAll(commands);
  return commands;
}

/** In this order, as each fills the store for those after it. */
const FILLED = [
  ...['rooms', 'branches', 'branches?view=tags', 'branches?view=quarantine', 'pulls'],
  ...['traces', 'judges', 'verdicts', 'alerts', 'behaviors', 'cases', 'fixes'],
];

describe.each(backends)('commands of empty pages on %s', (backend) => {
  const { open } = useMemory(backend);

  it.each(FILLED)('fill %s as they are copied', async (address) => {
    const { page, complaints } = await open(`#/${address}`);
    await runCopied(page);
    await copyButton(page).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it.each(['incidents', 'patterns'])('work as they are copied where there is nothing for %s', async (address) => {
    await runCopied((await open(`#/${address}`)).page);
  });

  it('say when patterns were looked for, where none was found', async () => {
    const { page } = await open('#/patterns');
    await page.getByText('No pattern found').waitFor();
    await page.getByText(/^Last scan \d+:\d+ today: \d+ entr(y|ies) looked at$/).waitFor();
  });
});

describe('commands of pages of an empty store', () => {
  const { app, open } = useMemory('sqlite');

  it('have room for their buttons on a phone', async () => {
    const { page } = await open('#/overview');
    await wear(page, { theme: 'light', width: 375 });
    await page.getByRole('button', { name: 'Load demo data' }).waitFor();
    for (const button of await page.getByRole('main').getByRole('button').all())
      expect(await cutPx(button), await button.innerText()).toBeLessThanOrEqual(0);
    await expectNoSidewaysScroll(page);
    await page.close();
  });

  it('write the first entry, the first team and the first key', async () => {
    const addresses = ['search', 'search?by=meaning', 'memory', 'admin/teams', 'admin/keys'];
    const commands: string[] = [];
    // Pages change as soon as something is written.
    for (const address of addresses) commands.push(await copy((await open(`#/${address}`)).page));
    for (const command of commands) await runAll(command);
    const written = await app().call('entries.history', { entity_path: 'checkout/payments', key: 'retry-policy' });
    // Both forms of Search write the same, which makes one version.
    expect(written.version_count).toBe(2);
    expect((await app().call('teams.list', {})).teams).toHaveLength(1);
    expect((await app().call('keys.list', {})).keys).toHaveLength(1);
  });
});

const REFUTED = { entity_path: 'checkout/cart', key: 'price-rounding' };

describe.each(backends)('where outcomes speak against an entry on %s', (backend) => {
  const { open } = useMemory(backend, async ({ call }) => {
    await call('entries.write', { ...REFUTED, value: 'down' });
    for (const i of [1, 2, 3])
      await call('outcomes.commit', {
        outcome_ref: `deploy-${i}`,
        outcome_type: 'p1_incident',
        causal_entry_keys: [REFUTED],
      });
  });

  it('the page of fixes has the command that proposes one for it', async () => {
    const { page } = await open('#/fixes');
    expect(await runCopied(page)).toContain(REFUTED.key);
    await copyButton(page).waitFor({ state: 'detached' });
  });
});
