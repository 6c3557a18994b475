import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { type ApiDocument, shownOperations, WHOLE_PAGE } from '../support/docs-page.ts';
import { send } from '../support/wire.ts';

/**
 * Swagger UI needs a second or more to open an operation, so only these are clicked by default: what the page itself adds,
 * and what takes an empty store to its first entry. `ALL_EXAMPLES=1` clicks all; `docs-first-click.test.ts` sends all.
 */
const SOME = ['entries_write', 'commits_create', 'commits_read', 'log_stream'];
const MAX_MS = process.env.ALL_EXAMPLES ? 1_800_000 : 180_000;

/** Opens an operation, clicks on Execute, closes it again. Gives what is shown. */
async function tryOut(page: Page, id: string): Promise<{ status: string; body: string }> {
  const block = page.locator(`[id$="-${id}"]`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('.execute').click();
  const answer = block.locator('.live-responses-table');
  await answer.waitFor();
  const shown = {
    status: (await answer.locator('tbody .response-col_status').first().innerText()).trim(),
    body: await answer.innerText(),
  };
  await block.locator('.opblock-summary-control').click();
  return shown;
}

describe('the documentation page in a browser, on an empty store', () => {
  const newPage = useBrowser();
  const server = useServer('sqlite');

  it('has examples that succeed from top to bottom, with nothing typed in', { timeout: MAX_MS }, async () => {
    const { page, complaints } = await newPage();
    page.setDefaultTimeout(MAX_MS);
    await page.setViewportSize(WHOLE_PAGE);
    await page.goto(`${server.url}/docs`);
    const { json } = await send(server.url, { method: 'GET', path: '/docs/openapi.json' });
    const shown = shownOperations(json as unknown as ApiDocument).map(({ id }) => id);
    // The page shows some of them after the others.
    await page
      .locator('.opblock')
      .nth(shown.length - 1)
      .waitFor();
    const ids: string[] = await page
      .locator('.opblock')
      .evaluateAll((blocks) => blocks.map(({ id }) => id.replace(/^operations-.+-/, '')));
    expect(ids).toEqual(shown);

    const statuses: Record<string, string> = {};
    const bodies: Record<string, string> = {};
    for (const id of process.env.ALL_EXAMPLES ? ids : SOME)
      ({ status: statuses[id], body: bodies[id] } = (await tryOut(page, id)) as { status: string; body: string });
    const failures = Object.entries(statuses).filter(([, status]) => !/^20[01]$/.test(status));
    // An export goes into an account that nobody has written to.
    expect(failures.filter(([id]) => id !== 'transfer_finish')).toEqual([]);
    expect(bodies.commits_read, 'the id of the commit was filled in').toContain('what the incident taught');
    expect(bodies.log_stream, 'a stream without end').toContain('event: memory_write');
    expect(complaints.filter((text) => !text.includes('/import/finish'))).toEqual([]);
  });
});
