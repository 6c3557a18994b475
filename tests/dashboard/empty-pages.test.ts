import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { useMemory } from './support/memory.ts';

const run = promisify(execFile);
const copyButton = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Copy', exact: true });

async function runCopied(page: Page): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await copyButton(page).click();
  const commands = await page.evaluate<string>('navigator.clipboard.readText()');
  await run('sh', ['-ec', commands.replaceAll(/^curl /gm, 'curl -sSf ')]);
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
