import { describe, expect, it } from 'vitest';
import { XSS_NAME } from './support/account-story.ts';
import { everyPage, isCall, type OpenWindow, quiet, thingsOfTheirOwn, useEveryPage } from './support/every-page.ts';
import { XSS } from './support/review-story.ts';

const at = encodeURIComponent;

describe('Text that would run as a script', () => {
  const { open, story, visit } = useEveryPage();

  /** Every page, and every place that shows one thing which holds such text. */
  const places = (): string[] => {
    const { hostile, conflicting } = story();
    return [
      // Names of agents are in a menu there, which is made when it is opened.
      ...everyPage.filter(({ id }) => id !== 'failures').map(({ address }) => address),
      `#/failures?agent=${at(XSS)}`,
      `#/memory/hostile/${at(XSS)}?key=${at(XSS)}`,
      `#/memory/hostile/${at(XSS)}?key=${at(XSS)}&branch=${at(XSS_NAME)}`,
      `#/memory?agent=${at(XSS)}`,
      `#/search?q=${at(XSS)}`,
      `#/search?q=hostile&by=meaning`,
      `#/timeline?agent=${at(XSS)}`,
      `#/timeline?branch=${at(XSS_NAME)}`,
      `#/traces?agent=${at(XSS)}`,
      `#/traces/${hostile.trace}`,
      `#/traces/${hostile.trace}?view=tree`,
      `#/traces/compare?a=${hostile.trace}&b=${story().success}`,
      `#/agents/${at(XSS)}`,
      `#/agents?view=graph&selected=agent:${at(XSS)}`,
      `#/agents?q=${at(XSS)}`,
      `#/briefing?agent=${at(XSS)}&path=hostile`,
      `#/branches/${XSS_NAME.split('/').map(at).join('/')}`,
      `#/branches?view=compare&from=main&to=${at(XSS_NAME)}`,
      '#/branches?view=tags',
      '#/branches?view=merges',
      `#/branches?view=rollback&branch=${at(XSS_NAME)}`,
      `#/pulls?state=all`,
      ...['changes', 'reviews', 'checks'].map((part) => `#/pulls/${hostile.pull}?part=${part}`),
      `#/pulls/${conflicting}`,
      `#/admin/teams?team=${hostile.team}`,
      '#/connectors/example',
      ...thingsOfTheirOwn(story()),
    ];
  };

  it('is text on every page: nothing of it runs, and nothing is made of it', async () => {
    const opened = await open('#/nowhere');
    const { page, complaints } = opened;
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const bearing = bearingAnswers(opened);
    const unshown: string[] = [];
    for (const place of places()) {
      bearing.clear();
      await visit(page, place);
      await quiet(opened);
      await expect.poll(() => page.title()).toMatch(/ · mem$/);
      const made = await page.locator('img, iframe, svg[onload], [onerror], [onload]').count();
      expect([place, made, complaints, dialogs]).toEqual([place, 0, [], []]);
      // What can be chosen is text too.
      const offered = await page
        .locator('main option')
        .evaluateAll<string[], { value: string }>((all) => all.map(({ value }) => value));
      const text = [await page.getByRole('main').innerText(), ...offered].join();
      if (bearing.size > 0 && !/<(img|svg|iframe)/.test(text)) unshown.push(place, ...bearing);
    }
    expect(unshown).toEqual([]);
  });

  it('is text in the steps of an investigation', async () => {
    const opened = await open(`#/investigation?agent=${at(XSS)}&question=${at(XSS)}`);
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByRole('region', { name: 'Answer', exact: true }).waitFor();
    await quiet(opened);
    expect(await page.locator('img, iframe, svg[onload], [onerror], [onload]').count()).toBe(0);
    expect(await page.title()).toBe('Investigation · mem');
    expect(complaints).toEqual([]);
    await page.close();
  });
});

/** The answers of a page that hold such text, as they come. */
function bearingAnswers({ page }: OpenWindow): Set<string> {
  const found = new Set<string>();
  page.on('response', async (response) => {
    if (!isCall(response.url()) || response.url().includes('/stream')) return;
    const text = await response.text().catch(() => '');
    if (text.includes('<img') || text.includes('<svg')) found.add(response.url());
  });
  return found;
}
