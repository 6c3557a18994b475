import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caughtUp } from '../briefing/caught-up.ts';
import { layAlerts } from '../contract/alerts.ts';
import { layIncidents } from '../contract/incidents.ts';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { storyClock, type TraceStory, writeTraceStory } from './support/trace-story.ts';
import { cutPx } from './support/window.ts';

const newPage = useBrowser();
const JUDGE = 'quiet-tools';

describe.each(backends)('Evaluation on %s', (backend) => {
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
  const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const definition = (limit: unknown) =>
    JSON.stringify({ kind: 'code', checks: [{ check: 'most', of: 'failed_tool_calls', limit }] });

  it('shows what models may cost, and sets it', async () => {
    const { page, complaints } = await open('#/judges');
    const budget = region(page, 'Budget for models');
    await budget.getByRole('row').filter({ hasText: 'Today' }).waitFor();
    await budget.getByRole('button', { name: 'Change…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Budget for models' });
    await dialog.getByLabel('Calls a day').fill('120');
    await dialog.getByLabel('Calls a month').fill('2000');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await budget.getByText('0 of 120').waitFor();
    await budget.getByText('0 of 2,000').waitFor();
    expect(await app.call('budgets.read', {})).toMatchObject({
      day: { max_calls: 120, max_usd: null },
      month: { max_calls: 2000 },
    });
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows what fixes have to go through, and changes it', async () => {
    const { page, complaints } = await open('#/fixes');
    await page.getByText('New fixes are approved after review').waitFor();
    await page.getByRole('button', { name: 'Policy…' }).click();
    const dialog = page.getByRole('dialog', { name: 'What fixes have to go through' });
    await dialog.getByRole('button', { name: 'after its cases have passed' }).click();
    await dialog.getByLabel('Regression cases to replay').fill('payments');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('approved after its cases have passed; cases to replay: payments').waitFor();
    expect(await app.call('fixes.read_policy', {})).toMatchObject({ policy: 'after_replay', set_id: 'payments' });
    await app.call('fixes.set_policy', { policy: 'review', set_id: 'regression' });
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('is empty at first, with commands that fill it', async () => {
    const { page, complaints } = await open('#/judges');
    await page.getByText('No judge yet').waitFor();
    await page.getByText('/api/v1/eval/judges').waitFor();
    await page.goto(`${server.url}/#/verdicts`);
    await page.getByText('No verdict yet').waitFor();
    await page.goto(`${server.url}/#/backfills`);
    await page.getByText('No backfill yet').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('defines a judge by keys, shows what the service refuses at its field, and tries it before it is saved', async () => {
    const { page } = await open('#/overview');
    await page.getByRole('link', { name: 'Judges' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Judges', level: 1 }).waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'New judge' });
    await dialog.getByLabel('Id', { exact: true }).fill(JUDGE);
    await dialog.getByLabel('Definition').fill('{');
    await dialog.getByText(/This is not JSON/).waitFor();
    await dialog.getByLabel('Definition').fill(definition(-1));
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText(/definition\.checks\.0\.limit: /).waitFor();
    await dialog.getByLabel('Definition').fill(definition(0));
    await dialog.getByLabel('Status').selectOption('draft');
    await dialog.getByRole('button', { name: 'Try it' }).click();
    await dialog.getByText(/^(1 pass, 2 fail|2 fail, 1 pass)$/).waitFor();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: JUDGE, level: 1 }).waitFor();
    expect(page.url()).toContain(`#/judges/${JUDGE}`);
    expect(await app.call('judges.read', { judge_id: JUDGE })).toMatchObject({ version: 1, status: 'draft' });
    await page.close();
  });

  it('edits it into another version, compares the two, and tries it on chosen traces', async () => {
    const { page } = await open(`#/judges/${JUDGE}`);
    await page.getByRole('heading', { name: JUDGE, level: 1 }).waitFor();
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog', { name: `Edit ${JUDGE}` });
    await dialog.getByLabel('Definition').fill(definition(3));
    await dialog.getByRole('button', { name: 'Save' }).click();
    const compared = region(page, 'v1 and v2 compared');
    await compared.getByText('definition.checks.0.limit').waitFor();
    expect(await compared.innerText()).toMatch(/0[\s\S]*3/);
    await region(page, 'Versions').getByRole('row').filter({ hasText: 'v1' }).click();
    await expect.poll(() => page.url()).toContain('version=1');
    await region(page, 'Definition').getByText('as of v1').waitFor();
    await page.goto(`${server.url}/#/judges/${JUDGE}`);
    const trial = region(page, 'Dry run');
    for (const box of await trial.getByRole('checkbox').all()) await box.uncheck();
    await trial.getByLabel('Further ids of traces').fill(story.success);
    await trial.getByRole('button', { name: 'Try it' }).click();
    await trial.getByText('1 pass').waitFor();
    expect((await app.call('verdicts.list', {})).verdicts).toEqual([]);
    await app.call('judges.update', { judge_id: JUDGE, definition: JSON.parse(definition(0)) });
    await page.close();
  });

  it('judges a trace, shows why, is overruled by a person and takes that back', async () => {
    const { page, complaints } = await open(`#/traces/${story.incident}`);
    const verdicts = region(page, 'Verdicts');
    await verdicts.getByText('No judge has looked at this trace.').waitFor();
    await verdicts.getByRole('button', { name: 'Judge it now' }).click();
    await page.getByRole('menuitem', { name: JUDGE }).click();
    const verdict = verdicts.getByRole('article', { name: `Verdict of ${JUDGE}` });
    await verdict.getByText('fail', { exact: true }).waitFor();
    await verdict.getByRole('button', { name: 'Overrule…' }).click();
    const dialog = page.getByRole('dialog', { name: `Overrule ${JUDGE}` });
    await dialog.getByLabel('Why').fill('the smoke test failed as it should');
    await dialog.getByRole('button', { name: 'Overrule', exact: true }).click();
    await verdict.getByText('overruled').waitFor();
    await verdict.getByText('the smoke test failed as it should').waitFor();
    const verdict_id = `${story.incident}.${JUDGE}.3`;
    expect(await app.call('verdicts.read', { verdict_id })).toMatchObject({ result: 'pass', judge_result: 'fail' });
    await verdict.getByRole('button', { name: 'Take back' }).click();
    await verdict.getByText('overruled').waitFor({ state: 'detached' });
    expect(await app.call('verdicts.read', { verdict_id })).toMatchObject({ result: 'fail', human: null });
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows what share of traces each judge passed lately, on the list and on its page', async () => {
    const { trace_id } = (await app.call('verdicts.list', { judge_id: JUDGE })).verdicts[0] ?? { trace_id: '' };
    expect(trace_id).not.toBe('');
    const { judges } = await app.call('verdicts.summarize', {});
    const { rate, of, low, high } = judges.find(({ judge_id }) => judge_id === JUDGE)?.pass_rate ?? {
      ...{ rate: null, of: 0, low: 0, high: 1 },
    };
    const shown = (share: number) => `${Math.round(share * 100)} %`;
    const passed = `${shown(rate ?? 0)} of ${of}`;
    const { page, complaints } = await open('#/judges');
    await page.getByRole('columnheader', { name: 'Passed, 7 days' }).waitFor();
    await page.getByRole('row').filter({ hasText: passed }).waitFor();
    await page.goto(`${server.url}/#/judges/${JUDGE}`);
    await region(page, 'Share passed').getByText(passed, { exact: true }).waitFor();
    await region(page, 'Share passed')
      .getByText(`${shown(low)} to ${shown(high)}`)
      .waitFor();
    await region(page, 'Share passed').getByText('7 days before').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('judges the past in the background, with its progress, and cancels', async () => {
    const { page } = await open('#/backfills');
    await page.getByRole('button', { name: 'New backfill' }).click();
    const dialog = page.getByRole('dialog', { name: 'Judge traces of the past' });
    await dialog.getByLabel('By the judge').selectOption(JUDGE);
    await dialog.getByRole('button', { name: 'Start' }).click();
    const row = page.getByRole('table', { name: 'Backfills' }).getByRole('row').filter({ hasText: JUDGE });
    while ((await app.call('backfills.list', {})).backfills[0]?.status === 'running') await app.jobs.sweep();
    await row.getByText('done').waitFor();
    // A few traces are judged too soon to be watched: one that is half way.
    await page.route('**/api/v1/eval/backfills?*', async (route) => {
      const response = await route.fetch();
      const answer = await response.json();
      for (const backfill of answer.backfills) Object.assign(backfill, { status: 'running', progress: 0.5 });
      await route.fulfill({ response, json: answer });
    });
    await page.reload();
    await row.getByRole('progressbar', { name: '50 % of the log' }).waitFor();
    const cancelled = page.waitForResponse((response) => response.url().endsWith('/cancel'));
    await row.getByRole('button', { name: `Cancel the backfill by ${JUDGE}` }).click();
    expect((await cancelled).status()).toBe(200);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.close();
  });

  it('lists verdicts with filters in the address, and leads from one to its trace', async () => {
    const { page } = await open('#/verdicts');
    const table = page.getByRole('table', { name: 'Verdicts' });
    await expect.poll(() => table.getByRole('row').count()).toBe(4);
    // A filter that is not set has an edge, in line with what is above and below it.
    const unset = page.getByRole('button', { name: 'judge any' });
    const edge = await unset.evaluate('(button) => getComputedStyle(button).borderLeftColor');
    expect(edge).not.toBe('rgba(0, 0, 0, 0)');
    const heading = await page.getByRole('heading', { name: 'Verdicts', level: 1 }).boundingBox();
    expect((await unset.boundingBox())?.x).toBe(heading?.x);
    await page.getByRole('button', { name: 'result any' }).click();
    await page.getByRole('menuitem', { name: 'fail' }).click();
    await expect.poll(() => table.getByRole('row').count()).toBe(3);
    expect(page.url()).toContain('result=fail');
    await table.getByRole('row').nth(1).focus();
    await page.keyboard.press('Enter');
    const details = page.getByRole('complementary', { name: `Verdict of ${JUDGE}` });
    await details.getByRole('link', { name: 'Open trace' }).click();
    await page.getByRole('heading', { name: 'Roll out retry policy v7 to eu-west' }).waitFor();
    await page.close();
  });

  it('shows an incident with its figures and traces, acknowledges, mutes and resolves it', async () => {
    const [incident_id = ''] = await layIncidents(app, { as: {} }, { trace_id: story.incident, judge_ids: [JUDGE] });
    const { page, complaints } = await open('#/overview');
    await region(page, 'Needs a person').getByText(`${JUDGE} fails for deploy-bot`).click();
    await page.getByRole('heading', { name: `${JUDGE} fails for deploy-bot`, level: 1 }).waitFor();
    await page.getByRole('table', { name: 'Figures' }).getByText('that opened it').waitFor();
    const failed = page.getByRole('table', { name: 'Traces that failed' }).getByRole('row').nth(1);
    expect(await failed.getByRole('link').allInnerTexts()).toEqual(['deploy-bot', story.incident.slice(-8)]);
    await region(page, 'Memory behind it').getByText('No version of memory explains these traces.').waitFor();
    const read = () => app.call('incidents.read', { incident_id });
    await page.keyboard.press('a');
    await region(page, 'What happened').getByText('Acknowledged').waitFor();
    expect((await read()).status).toBe('acknowledged');
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByRole('menuitem', { name: 'For a day' }).click();
    await page.getByText('Muted until').waitFor();
    expect((await read()).status).toBe('muted');
    await page.getByRole('button', { name: 'Mute' }).click();
    await page.getByRole('menuitem', { name: 'Unmute' }).click();
    await page.getByText('Muted until').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Resolve' }).click();
    await expect.poll(async () => (await read()).status).toBe('resolved');
    await page.goto(`${server.url}/#/incidents?status=resolved`);
    await page.getByRole('table', { name: 'Incidents' }).getByRole('link', { name: JUDGE }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('sets a rule for alerts, acknowledges an alert, mutes and deletes the rule', async () => {
    const { page, complaints } = await open('#/alerts');
    await page.getByText('No alert', { exact: true }).waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'New rule' });
    await dialog.getByLabel('Id', { exact: true }).fill('failing');
    await dialog.getByLabel('Judge').selectOption(JUDGE);
    await dialog.getByLabel('Raise an alert above').fill('2');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText(/must be below 1/).waitFor();
    await dialog.getByLabel('Raise an alert above').fill('0.2');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const rules = page.getByRole('table', { name: 'Rules' });
    await rules.getByText(`share of failures above 20 % in 1 hour by ${JUDGE}`).waitFor();
    await layAlerts(app, { as: {}, known: {} }, { ids: ['dear'] });
    const alert = page.getByRole('table', { name: 'Alerts' }).getByRole('row').filter({ hasText: 'dear' });
    await alert.getByText('1 trace cost 1 USD; no cost is allowed.').waitFor();
    await page.getByRole('button', { name: 'Acknowledge the alert of dear' }).click();
    await page.getByText('No alert', { exact: true }).waitFor();
    expect((await app.call('alerts.list', {})).alerts).toMatchObject([{ rule_id: 'dear', status: 'acknowledged' }]);
    await page.getByRole('button', { name: 'What to do with dear' }).click();
    await page.getByRole('menuitem', { name: /^Mute/ }).click();
    await rules.getByText(/^muted until/).waitFor();
    await page.getByRole('button', { name: 'What to do with dear' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect.poll(() => rules.getByRole('row').count()).toBe(2);
    expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
    await page.close();
  });

  it('shows where runs fail and what they read, cut by what is chosen', async () => {
    await caughtUp(app);
    const { page, complaints } = await open('#/failures');
    const segments = page.getByRole('table', { name: 'Segments' });
    await region(page, 'Segments').getByText('1 of 3 runs failed').waitFor();
    await page.getByRole('button', { name: 'cut by everything' }).click();
    await page.getByRole('menuitem', { name: 'Agent', exact: true }).click();
    expect(page.url()).toContain('by=agent_id');
    await page.getByRole('button', { name: 'failed by their outcomes' }).click();
    await page.getByRole('menuitem', { name: JUDGE }).click();
    await region(page, 'Segments').getByText('2 of 3 runs failed').waitFor();
    await segments.or(page.getByText('No version of memory explains these traces.')).first().waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('asks about an agent that has runs, unless another is chosen', async () => {
    await app.call('entries.write', { entity_path: 'net/first', key: 'by-name', value: 1 }, { agent_id: 'a-writer' });
    const { agents } = await app.call('agents.list', {});
    expect(agents[0]?.agent_id).toBe('a-writer');
    const { traces } = await app.call('traces.list', { limit: 1 });
    const { page, complaints } = await open('#/investigation');
    await expect.poll(() => page.getByLabel('Agent').inputValue()).toBe(traces[0]?.agent_id);
    await page.getByLabel('Agent').selectOption('a-writer');
    expect(await page.getByLabel('Agent').inputValue()).toBe('a-writer');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('investigates a question by keys: steps come in with their evidence, then the answer', async () => {
    const { page, complaints } = await open('#/overview');
    await page.getByRole('link', { name: 'Investigation' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.getByRole('heading', { name: 'Investigation', level: 1 }).waitFor();
    await page.getByLabel('Agent').selectOption('deploy-bot');
    await page.getByLabel('Question').fill('Why do deployments fail?');
    await page.keyboard.press('Enter');
    await region(page, 'Answer')
      .getByText(/^No memory is suspect: .* 1 of \d runs failed\./)
      .waitFor();
    for (const name of ['1. Which runs fail', '2. Memory behind it', '3. Where two runs part'])
      await region(page, name).waitFor();
    const parted = region(page, '3. Where two runs part');
    await parted.getByRole('link', { name: story.incident.slice(-8), exact: true }).waitFor();
    expect(page.url()).toContain('question=Why');
    await region(page, '3. Where two runs part').getByRole('link', { name: 'Compare the two' }).click();
    await page.getByRole('heading', { name: 'Compare', level: 1 }).waitFor();
    await page.goBack();
    // The address holds the question, and asks nothing by itself.
    expect(await page.getByLabel('Question').inputValue()).toBe('Why do deployments fail?');
    expect(await region(page, 'Answer').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('says why a question was refused, and cancels one that takes long', async () => {
    const { page } = await open('#/investigation?agent=deploy-bot&question=Why%3F&trace=none');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page
      .getByRole('alert')
      .getByText(/not_found/)
      .waitFor();
    await page.route('**/api/v1/eval/investigations?*', async () => {});
    await page.getByLabel('Failing trace').fill('');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled.').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.close();
  });

  it('shows a behavior, how far it reaches and its traces, and archives it', async () => {
    await app.call('behaviors.create', {
      ...{ behavior_id: 'ends-badly', name: 'Ends badly' },
      matcher: [{ check: 'outcome', in: ['success', 'clean_deploy'], not: true }],
    });
    const { traces } = await app.call('behaviors.list_traces', { behavior_id: 'ends-badly' });
    expect(traces).toEqual([]);
    while ((await app.call('backfills.list', {})).backfills.some(({ status }) => status === 'running'))
      await app.jobs.sweep();
    const { page, complaints } = await open('#/behaviors');
    await page.getByRole('table', { name: 'Behaviors' }).getByRole('link', { name: 'Ends badly' }).click();
    await page.getByRole('heading', { name: 'Ends badly', level: 1 }).waitFor();
    const found = page
      .getByRole('table', { name: 'Traces with it' })
      .getByRole('row')
      .filter({ hasText: 'deploy-bot' });
    await found.getByRole('link', { name: story.incident.slice(-8) }).waitFor();
    await region(page, 'Blast radius').getByText('too few traces to say').waitFor();
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('archived', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByText('active', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows regression cases and what came of them in a run', async () => {
    const { page, complaints } = await open('#/cases');
    await page.getByText('No regression case yet').waitFor();
    await app.call('cases.create', { case_id: 'roll-out', trace_id: story.success });
    const posted = { case_id: 'roll-out', result: 'fail' as const, reason: 'it went wrong again' };
    await app.call('case_runs.create', { label: 'build-118', results: [posted] });
    const { case_run_id, set_id } = await app.call('case_runs.create', { results: [posted] });
    const runs = page.getByRole('table', { name: 'Runs' }).getByRole('row');
    await runs.filter({ hasText: `${set_id}, run ${case_run_id.slice(-8)}` }).waitFor();
    await runs.filter({ hasText: 'build-118' }).click();
    const results = page.getByRole('table', { name: 'Results of build-118' });
    await results.getByText('it went wrong again').waitFor();
    await results.getByRole('link', { name: 'roll-out' }).click();
    await page.getByRole('heading', { name: 'roll-out', level: 1 }).waitFor();
    await region(page, 'What has to come of it').getByText('"outcome"').waitFor();
    const from = page.getByRole('link', { name: story.success.slice(-8), exact: true });
    expect(await from.getAttribute('title')).toBe(story.success);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No regression case yet').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('finds patterns with a click, shows the evidence of one, and resolves it', async () => {
    for (const [agent_id, key, seconds] of [
      ['agent/a', 'timeout_ms', 30],
      ['agent/b', 'timeoutMs', 60],
    ] as const)
      await app.call(
        'entries.write',
        { entity_path: 'net/gateway', key, value: `the gateway waits ${seconds} seconds` },
        { agent_id },
      );
    const { page, complaints } = await open('#/patterns');
    const { page: other } = await open('#/patterns');
    await page.getByRole('button', { name: 'Scan', exact: true }).click();
    await page.getByText('The scan has begun').waitFor();
    await caughtUp(app);
    await other.getByRole('link', { name: 'Knowledge conflict' }).waitFor();
    await other.close();
    await page.getByRole('link', { name: 'Knowledge conflict' }).click();
    await page.getByRole('heading', { name: 'Knowledge conflict: net/gateway' }).waitFor();
    for (const author of ['agent/a', 'agent/b'])
      await region(page, 'Entries').getByRole('link', { name: author, exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Resolve', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Resolve the pattern' });
    await dialog.getByLabel('What was done').fill('one of them was wrong');
    await dialog.getByRole('button', { name: 'Resolve' }).click();
    // The field has the same words.
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('one of them was wrong').waitFor();
    const { patterns } = await app.call('detected_patterns.list', { status: 'resolved' });
    expect(patterns).toMatchObject([{ entity_path: 'net/gateway', reason: 'one of them was wrong' }]);
    expect(complaints).toEqual([]);
  });

  it('shows the whole sentence of a pattern', async () => {
    const at = { entity_path: 'net/limits', key: 'max' };
    await app.call('entries.write', { ...at, value: 3 });
    for (const outcome_ref of ['limit-1', 'limit-2', 'limit-3']) {
      const by = { agent_id: 'deploy-bot', session_id: outcome_ref };
      await app.call('entries.read', at, by);
      await app.call('outcomes.commit', { outcome_ref, outcome_type: 'failure' }, by);
    }
    await app.call('pattern_scans.create', {});
    await caughtUp(app);
    const { page } = await newPage();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${server.url}/#/patterns`);
    const row = page.getByRole('row').filter({ hasText: 'Recurring failure' }).filter({ hasText: 'net/limits' });
    const cell = row.getByRole('cell').filter({ hasText: '3 failures' });
    await cell.waitFor();
    expect(await cutPx(cell)).toBe(0);
    await page.close();
  });

  it('shows which redundant writes say the same, and what they say', async () => {
    for (const [key, value] of [
      ['retries', 'payments are tried three times within a minute'],
      ['how-often-to-try', 'payments are tried three times within a minute.'],
      ['closing', 'the desk closes at noon on the last Friday of a month'],
      ['when-it-closes', 'the desk closes at noon on the last Friday of a month.'],
    ] as const)
      await app.call('entries.write', { entity_path: 'net/desk', key, value });
    const { scan_id } = await app.call('pattern_scans.create', {});
    await caughtUp(app);
    expect(await app.call('pattern_scans.read', { scan_id })).toMatchObject({ status: 'done' });
    const { patterns } = await app.call('detected_patterns.list', { pattern_type: 'redundant_writes' });
    const found = patterns.find(({ entity_path }) => entity_path === 'net/desk');
    const { page, complaints } = await open(`#/patterns/${found?.pattern_id}`);
    const groups = page.getByRole('table', { name: /^Group \d: 2 entries that say the same$/ });
    await groups.nth(1).waitFor();
    const closing = groups.filter({ hasText: 'when-it-closes' });
    await closing.getByText('the desk closes at noon on the last Friday of a month', { exact: true }).waitFor();
    expect(await closing.getByText('payments').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows a fix with its entries and hand-over, approves one and dismisses another', async () => {
    const fixed = async (key: string) => {
      const at = { entity_path: 'checkout/limits', key };
      await app.call('entries.write', { ...at, value: 3 });
      await app.call('entries.write', { ...at, value: 300 });
      return app.call('fixes.propose', { ...at, entries: [{ ...at, value: 4 }] });
    };
    const [first, second] = [await fixed('retries'), await fixed('timeout')];
    const { page, complaints } = await open('#/fixes');
    const table = page.getByRole('table', { name: 'Fixes' });
    await expect.poll(() => table.getByRole('row').count()).toBe(3);
    for (const width of [1440, 375]) {
      await page.setViewportSize({ width, height: 812 });
      for (const key of ['retries', 'timeout']) {
        const title = table.getByRole('link', { name: `Fix of checkout/limits/${key}`, exact: true });
        expect(await cutPx(title.getByText(key)), `${key}, ${width} px wide`).toBe(0);
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${server.url}/#/fixes/${first.fix_id}`);
    await page.getByRole('heading', { name: 'Fix of checkout/limits/retries', level: 1 }).waitFor();
    await page.getByRole('table', { name: 'Corrected entries' }).getByText('another value').waitFor();
    await region(page, 'Hand-over').getByText(first.branch).first().waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve the fix' });
    await dialog.getByLabel('Why').fill('the runbook says four');
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await region(page, 'Did it come back?').getByText('Not known yet').waitFor();
    const read = { entity_path: 'checkout/limits', key: 'retries' };
    expect(await app.call('entries.read', read)).toMatchObject({ value: 4 });
    await page.goto(`${server.url}/#/fixes/${second.fix_id}`);
    // What was approved is reported in a toast, which can be dismissed too.
    await page.getByRole('main').getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('dialog', { name: 'Dismiss the fix' }).getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('dismissed', { exact: true }).waitFor();
    expect((await app.call('fixes.read', { fix_id: second.fix_id })).status).toBe('dismissed');
    expect(complaints).toEqual([]);
    await page.close();
  });
});
