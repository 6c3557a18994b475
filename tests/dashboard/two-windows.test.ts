import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { backends } from '../support/app.ts';
import { entry, region, rows, useMemory } from './support/memory.ts';

const AT = { entity_path: 'checkout/payments', key: 'retry-policy' };
const BRANCH = 'experiment/fewer-retries';

describe.each(backends)('Two windows on %s', (backend) => {
  const { app, open } = useMemory(backend, async (filled) => {
    await filled.call('entries.write', { ...AT, value: 'three attempts' }, { agent_id: 'planner' });
    await filled.call('branches.create', { name: 'old/idea' }, { agent_id: 'planner' });
  });

  const watching = async (address: string): Promise<Page> => {
    const { page } = await open(address);
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    return page;
  };

  it('show in the second what is written in the first, on every page that is live', async () => {
    const [list, one, timeline, overview] = await Promise.all(
      ['#/memory', `#/memory/${AT.entity_path}?key=${AT.key}`, '#/timeline', '#/overview'].map(watching),
    );
    if (!list || !one || !timeline || !overview) throw new Error('four windows were opened');
    await entry(one).getByText('version 1', { exact: true }).waitFor();
    const { page: writer } = await open('#/memory/checkout/payments?do=new');
    await writer.getByLabel('Key', { exact: true }).fill('written-elsewhere');
    await writer.getByRole('textbox', { name: 'Value' }).fill('from the other window');
    await writer.keyboard.press('Control+Enter');
    await rows(list).getByText('written-elsewhere').waitFor();
    await timeline.getByRole('grid', { name: 'Events' }).getByText('written-elsewhere').waitFor();
    await region(overview, 'Live').getByText('written-elsewhere').first().waitFor();
    await writer.goto(`${new URL(writer.url()).origin}/#/memory/checkout/payments?key=retry-policy&do=edit`);
    await writer.getByRole('textbox', { name: 'Value' }).fill('five attempts');
    await writer.keyboard.press('Control+Enter');
    await entry(one).getByText('version 2', { exact: true }).waitFor();
    await region(one, 'Value').getByText('five attempts').waitFor();
    for (const page of [list, one, timeline, overview, writer]) await page.close();
  });

  it('show branches, pull requests and traces that come to be in the first', async () => {
    const [branches, pulls, traces] = await Promise.all(['#/branches', '#/pulls', '#/traces'].map(watching));
    if (!branches || !pulls || !traces) throw new Error('three windows were opened');
    const { page: writer } = await open('#/branches');
    await writer.getByRole('row', { name: /old\/idea/ }).waitFor();
    await writer.keyboard.press('n');
    await writer.getByLabel('Name').fill(BRANCH);
    await writer.keyboard.press('Enter');
    await branches.getByRole('row', { name: new RegExp(BRANCH) }).waitFor();
    await app().call('entries.write', { ...AT, value: 'two attempts', branch: BRANCH }, { agent_id: 'planner' });
    await app().call(
      'pull_requests.create',
      { title: 'Fewer retries', source_branch: BRANCH },
      { agent_id: 'planner' },
    );
    await pulls.getByRole('row', { name: /Fewer retries/ }).waitFor();
    const work = { agent_id: 'planner', session_id: 'roll-out' };
    await app().call('entries.read', AT, work);
    await app().call(
      'outcomes.commit',
      { outcome_ref: 'deploy-1', outcome_type: 'success', task_input: 'Roll out' },
      work,
    );
    await traces.getByRole('grid', { name: 'Traces' }).getByText('Roll out').waitFor();
  });

  it('choose a branch each: its memory is shown, also after a reload, and main is one step back', async () => {
    const branch = 'experiment/other-memory';
    await app().call('branches.create', { name: branch }, { agent_id: 'planner' });
    await app().call('entries.write', { ...AT, value: 'only on the branch', branch }, { agent_id: 'planner' });
    await app().call('entries.write', { entity_path: 'lab', key: 'of-the-branch', value: 1, branch });
    const { page, complaints } = await open('#/memory');
    await rows(page).getByText('retry-policy').waitFor();
    expect(await rows(page).getByText('of-the-branch').count()).toBe(0);
    await page.getByRole('button', { name: 'branch main' }).click();
    await page.getByRole('menuitem', { name: branch }).click();
    await rows(page).getByText('of-the-branch').waitFor();
    await page.reload();
    await rows(page).getByText('of-the-branch').waitFor();
    expect(decodeURIComponent(page.url())).toContain(`branch=${branch}`);
    await rows(page).getByText('retry-policy').click();
    await region(page, 'Value').getByText('only on the branch').waitFor();
    await page
      .getByRole('button', { name: `branch ${branch}` })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'main', exact: true }).click();
    await region(page, 'Value').getByText('five attempts').waitFor();
    await rows(page).getByText('of-the-branch').waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('branch=');
    expect(complaints).toEqual([]);
  });
});
