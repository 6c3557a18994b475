import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Hosted, type NewAccount, post } from '../support/hosted.ts';
import type { HttpRequest } from '../support/wire.ts';
import { everyPage, isCall, useEveryPage, waitForPage } from './support/every-page.ts';

const OUTSIDE = 'outsidemark';
const INSIDE = 'inside-key';
const KEYS = [
  { what: 'may only read below one path', scopes: [{ pattern: 'team/**', permission: 'READ' }] },
  { what: 'may read and write below one path', scopes: [{ pattern: 'team/**', permission: 'READ_WRITE' }] },
];

/** The same work inside and outside of what the keys may see. */
async function plant(hosted: Hosted, account: NewAccount): Promise<void> {
  const ask = async (agent: string, sent: HttpRequest) => {
    const headers = { 'x-mem-agent-id': agent, 'x-mem-session-id': `session-of-${agent}` };
    const { status, text } = await hosted.as(account.key, { ...sent, headers });
    expect(status, text).toBeLessThan(300);
  };
  const work = async (agent: string, entity_path: string, key: string) => {
    await ask(agent, post('/api/v1/entries', { entity_path, key, value: `value of ${key}` }));
    await ask(agent, { method: 'GET', path: `/api/v1/entries/${entity_path}/${key}` });
    const report = { outcome_ref: `outcome-of-${key}`, outcome_type: 'p1_incident', task_input: `task of ${key}` };
    await ask(agent, post('/api/v1/outcomes', report));
  };
  await work('inside-agent', 'team/a', INSIDE);
  await work(`${OUTSIDE}-agent`, `${OUTSIDE}/path`, `${OUTSIDE}-key`);
  const branch = `${OUTSIDE}-branch`;
  const agent = `${OUTSIDE}-agent`;
  await ask(agent, post('/api/v1/branches', { name: branch, description: `about ${OUTSIDE}` }));
  const written = { entity_path: `${OUTSIDE}/path`, key: `${OUTSIDE}-key`, value: OUTSIDE, branch };
  await ask(agent, post('/api/v1/entries', written));
  await ask(agent, post('/api/v1/pull-requests', { title: `${OUTSIDE} title`, source_branch: branch }));
}

describe('A key that', () => {
  const { account, hosted, open, visit } = useEveryPage(plant);

  describe.each(KEYS)('$what', ({ scopes }) => {
    it('is shown its part on every page and nothing else, and told what it lacks', async () => {
      const { key } = await hosted().newKey(account().key, { scopes });
      const opened = await open('#/nowhere', key);
      const { page } = opened;
      const bodies: { url: string; status: number; text: Promise<string> }[] = [];
      page.on('response', (response) => {
        if (isCall(response.url()) && !response.headers()['content-type']?.startsWith('text/event-stream'))
          bodies.push({
            url: response.url(),
            status: response.status(),
            text: response.text().catch(() => ''),
          });
      });
      const shown = await navigation(page);
      for (const listed of everyPage) {
        await visit(page, listed.address);
        await waitForPage(opened, listed);
        const alerts = await page.getByRole('main').getByRole('alert').allInnerTexts();
        const refused = expect.stringMatching(
          /^This key may not see this\nThis is (for admins|about the whole account)/,
        );
        const wanted = shown.includes(listed.link) ? [] : [refused];
        expect([listed.id, alerts.slice(0, 1)]).toEqual([listed.id, wanted]);
        expect([listed.id, await page.content()]).toEqual([listed.id, expect.not.stringContaining(OUTSIDE)]);
      }
      for (const { url, text } of bodies) expect([url, (await text).includes(OUTSIDE)]).toEqual([url, false]);
      await visit(page, '#/memory');
      await page.getByRole('grid', { name: 'Entries' }).getByText(INSIDE).waitFor();
      const item = page.getByRole('tree', { name: 'Paths' }).getByRole('treeitem');
      await item.filter({ hasText: 'team' }).press('ArrowRight');
      await item.filter({ hasText: /^a\d/ }).waitFor();
      await visit(page, `#/memory/${OUTSIDE}/path?key=${OUTSIDE}-key`);
      await page
        .getByRole('alert')
        .filter({ hasText: `Your key may not read ${OUTSIDE}/path` })
        .first()
        .waitFor();
    });
  });

  it('may not write is told so, and what it typed stays', async () => {
    const { key } = await hosted().newKey(account().key, { scopes: KEYS[0]?.scopes });
    const { page } = await open('#/memory/team/a?do=new', key);
    await page.getByLabel('Key', { exact: true }).fill('new-one');
    await page.getByRole('textbox', { name: 'Value' }).fill('typed');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('alert').filter({ hasText: 'Your key may change nothing' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('typed');
  });
});

/** The pages that the navigation offers, once it knows. */
async function navigation(page: Page): Promise<string[]> {
  const links = page.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link');
  await links.filter({ hasText: 'Traces' }).waitFor();
  return links.allInnerTexts();
}
