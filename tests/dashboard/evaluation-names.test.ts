import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caughtUp } from '../briefing/caught-up.ts';
import { layIncidents } from '../contract/incidents.ts';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { storyClock, type TraceStory, writeTraceStory } from './support/trace-story.ts';

const newPage = useBrowser();

describe.each(backends)('What evaluation shows on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  let story: TraceStory;
  beforeAll(async () => {
    const clock = storyClock();
    app = await openTestApp(backend, { clock });
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
    story = await writeTraceStory(app);
    clock.catchUp();
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  const open = async (address: string) => {
    const watched = await newPage();
    await watched.page.goto(`${server.url}/${address}`);
    return watched;
  };
  const rowsOf = (page: Page, table: string) => page.getByRole('table', { name: table, exact: true }).getByRole('row');

  it('the backfill of a behavior names it, and what it found is no failure', async () => {
    // Else what follows the log may look at the trace before the backfill does.
    await caughtUp(app);
    await app.call('behaviors.create', {
      ...{ behavior_id: 'ends-badly', name: 'Ends badly' },
      matcher: [{ check: 'outcome', in: ['success', 'clean_deploy'], not: true }],
    });
    const running = async () =>
      (await app.call('backfills.list', {})).backfills.some(({ status }) => status === 'running');
    while (await running()) await app.jobs.sweep();
    const { page, complaints } = await open('#/backfills');
    const row = rowsOf(page, 'Backfills').nth(1);
    const found = row.getByRole('link', { name: '1 matched' });
    await found.waitFor();
    expect(await found.getAttribute('class')).not.toBe('bad');
    expect(await row.getByText('all active judges').count()).toBe(0);
    await row.getByRole('link', { name: 'Ends badly' }).click();
    await page.getByRole('heading', { name: 'Ends badly', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('failures are cut by words, once each, and what cannot be compared is said', async () => {
    const { page, complaints } = await open('#/failures');
    const part = page.getByRole('region', { name: 'Segments', exact: true });
    await part.getByText('No two kinds of runs are common enough to be compared.').waitFor();
    expect(await part.getByRole('table').count()).toBe(0);
    await page.route('**/api/v1/eval/segment*', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const fails = { rate: 0.5, low: 0.1, high: 0.9, count: 2, of: 4 };
      const rest = { ...fails, rate: 0, count: 0 };
      const common = { fails, rest, difference: 0.5, low: 0.1, high: 0.9, p: 0.01, adjusted_p: 0.01, differs: 'worse' };
      const cut = [
        { dimension: 'model', value: 'm-1' },
        { dimension: 'attributes.model', value: 'm-1' },
        { dimension: 'attributes.release', value: '4.18' },
        { dimension: 'has_error', value: true },
      ];
      await route.fulfill({ response, json: { ...answer, segments: cut.map((one) => ({ ...one, ...common })) } });
    });
    await page.reload();
    const rows = rowsOf(page, 'Segments');
    await rows.filter({ hasText: 'With an error' }).getByText('yes').waitFor();
    await rows.filter({ hasText: 'Attribute release' }).getByText('4.18').waitFor();
    expect(await rows.filter({ hasText: 'm-1' }).count()).toBe(1);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('nothing is explained where no run has failed', async () => {
    const empty = await openTestApp(backend);
    const other = await listen(empty, { dashboard: await builtDashboard(), corsOrigins: [] });
    const { page } = await newPage();
    await page.goto(`${other.url}/#/failures`);
    await page.getByText('No run with a result yet').waitFor();
    await page.getByText('There are no failures to explain.').waitFor();
    await page.close();
    await other.close();
    await empty.close();
  });

  it('incidents, verdicts and alerts name judges as their own page does', async () => {
    const limit = { check: 'most' as const, of: 'failed_tool_calls' as const, limit: 0 };
    const judge = { judge_id: 'tools-0', name: 'No failed tools', status: 'draft' as const };
    await app.call('judges.create', { ...judge, definition: { kind: 'code', checks: [limit] } });
    await app.call('verdicts.judge', { trace_id: story.incident, judge_id: 'tools-0' });
    await layIncidents(app, { as: {} }, { trace_id: story.incident, judge_ids: ['tools-0'] });
    const rule = { rule_id: 'failing-0', name: 'Failing tools', metric: 'failure_rate' as const, above: 0.2 };
    await app.call('alert_rules.create', { ...rule, judge_id: 'tools-0' });
    const { page, complaints } = await open('#/verdicts');
    const link = rowsOf(page, 'Verdicts').getByRole('link', { name: 'No failed tools' });
    await link.waitFor();
    expect(await link.getAttribute('title')).toBe('tools-0');
    await page.goto(`${server.url}/#/alerts`);
    await page.getByText('share of failures above 20 % in 1 hour by No failed tools').waitFor();
    await page.goto(`${server.url}/#/incidents`);
    await rowsOf(page, 'Incidents').getByRole('link', { name: 'No failed tools' }).click();
    await page.getByRole('heading', { name: /^No failed tools fails for/, level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});
