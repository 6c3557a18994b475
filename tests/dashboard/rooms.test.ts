import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caughtUp } from '../briefing/caught-up.ts';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';

const HOSTILE = '<img src=x onerror="document.title=1">';

describe.each(backends)('Rooms on %s', (backend) => {
  const newPage = useBrowser();
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend);
    server = await listen(app, { dashboard: await builtDashboard(), corsOrigins: [] });
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
  const planner = { agent_id: 'planner' };

  it('are none at first, with the command that makes one', async () => {
    const { page, complaints } = await open('#/rooms');
    await page.getByText('No room yet').waitFor();
    await page.getByText('/api/v1/rooms').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('are made with a click, and show at once what agents say and write', async () => {
    const { page, complaints } = await open('#/rooms');
    await page.getByRole('button', { name: 'New room' }).click();
    const dialog = page.getByRole('dialog', { name: 'New room' });
    await dialog.getByLabel('Name').fill('Release planning');
    await dialog.getByLabel('What it is for').fill(HOSTILE);
    await dialog.getByLabel('What your account is called in it').fill('platform');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Release planning', level: 1 }).waitFor();
    await page.getByText(HOSTILE).waitFor();
    const [listed] = (await app.call('rooms.list', {}, planner)).rooms;
    const room_id = listed?.room_id as string;
    expect(listed).toMatchObject({ label: 'platform', role: 'owner' });

    await app.call('rooms.join', { room_id }, planner);
    await region(page, 'Members').getByText('planner@platform').waitFor();
    await app.call('rooms.discuss', { room_id, content: HOSTILE, message_type: 'question' }, planner);
    const talk = region(page, 'Discussion');
    await talk.getByText(HOSTILE).waitFor();
    await talk.getByRole('button', { name: 'Reply to planner@platform' }).click();
    await talk.getByLabel('Say something').fill('On friday');
    await talk.getByRole('button', { name: 'Send' }).click();
    await talk.getByRole('listitem').filter({ hasText: 'On friday' }).getByText('to planner@platform').waitFor();
    await app.call('entries.write', { entity_path: `@${room_id}/plan`, key: 'date', value: 'friday' }, planner);
    await page.getByRole('tab', { name: 'Activity' }).click();
    await region(page, 'What happened').getByText(`@${room_id}/plan`).first().waitFor();

    const { messages } = await app.call('rooms.discussions', { room_id, mentions_only: true }, planner);
    expect(messages).toMatchObject([{ content: 'On friday', agent: 'dashboard@platform' }]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('are left and joined again: what is in them is shown only to who has joined', async () => {
    const { room_id } = await app.call('rooms.create', { name: 'Incident review', label: 'ops' }, planner);
    await app.call('rooms.discuss', { room_id, content: 'who was on call?' }, planner);
    const { page, complaints } = await open(`#/rooms/${room_id}`);
    await page.getByText('Only agents that have joined').waitFor();
    expect(await page.getByText('who was on call?').count()).toBe(0);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('who was on call?').waitFor();
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByText('Only agents that have joined').waitFor();
    expect(await page.getByText('who was on call?').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('show what agents agree on, step by step, as it happens', async () => {
    const { room_id } = await app.call('rooms.create', { name: 'Agreeing', label: 'us' }, planner);
    const reviewer = { agent_id: 'reviewer' };
    await app.call('rooms.join', { room_id }, reviewer);
    const { page, complaints } = await open(`#/rooms/${room_id}`);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('tab', { name: 'Negotiations' }).click();
    await page.getByText('No negotiation yet').waitFor();
    const asked = { room_id, title: 'The date', participants: ['planner@us', 'reviewer@us'] };
    const { negotiation_id } = await app.call('negotiations.create', asked, planner);
    const step = { room_id, negotiation_id };
    await app.call('negotiations.propose', { ...step, action: 'propose', proposal: { day: HOSTILE } }, planner);
    await page.getByRole('table', { name: 'Negotiations' }).getByText('The date').click();
    const part = region(page, 'The date');
    await part.getByText('onerror=').waitFor();
    await part.getByText('Waits for reviewer@us.').waitFor();
    await app.call('negotiations.propose', { ...step, action: 'accept', rationale: 'it fits' }, reviewer);
    await part.getByText('it fits').waitFor();
    await part.getByText('agreed', { exact: true }).waitFor();
    expect(page.url()).toContain(`part=negotiations&negotiation=${negotiation_id}`);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('let a person take part in a negotiation by keys, and cancel it', async () => {
    const { room_id } = await app.call('rooms.create', { name: 'Asking people', label: 'us' }, planner);
    await app.call('rooms.join', { room_id }, { agent_id: 'dashboard' });
    const { page, complaints } = await open(`#/rooms/${room_id}?part=negotiations`);
    await page.getByText('No negotiation yet').waitFor();
    await page.keyboard.press('n');
    const begin = page.getByRole('dialog', { name: 'New negotiation' });
    await begin.getByLabel('What is to be agreed on').fill('Which day');
    await page.keyboard.press('Enter');
    await region(page, 'Which day').getByText('No proposal yet.').waitFor();
    await page.keyboard.press('a');
    const answer = page.getByRole('dialog', { name: 'Answer as the dashboard' });
    await answer.getByLabel('Proposal').fill('{');
    await answer.getByText('This is not JSON.').waitFor();
    await answer.getByLabel('Proposal').fill('{ "day": "monday" }');
    await answer.getByLabel('Why').fill('everyone is there');
    await answer.getByRole('button', { name: 'Send' }).click();
    await region(page, 'Which day').getByText('Waits for planner@us.').waitFor();
    const [listed] = (await app.call('negotiations.list', { room_id }, planner)).negotiations;
    const step = { room_id, negotiation_id: listed?.negotiation_id as string };
    const counter = { ...step, action: 'counter' as const, proposal: { day: 'tuesday' } };
    await app.call('negotiations.propose', counter, planner);
    await region(page, 'Which day').getByText('Waits for dashboard@us.').waitFor();
    await page.keyboard.press('a');
    await answer.getByLabel('What to do').selectOption('abstain');
    await answer.getByRole('button', { name: 'Cancel' }).click();
    await region(page, 'Which day').getByRole('button', { name: 'Cancel it…' }).click();
    const cancel = page.getByRole('dialog', { name: 'Cancel the negotiation' });
    const reason = 'settled elsewhere, by those who were there '.repeat(8).trim();
    await cancel.getByLabel('Why').fill(reason);
    await cancel.getByRole('button', { name: 'Cancel the negotiation' }).click();
    await region(page, 'Which day').getByText('cancelled', { exact: true }).waitFor();
    expect(await app.call('negotiations.read', step, planner)).toMatchObject({
      status: 'cancelled',
      steps: [{ agent: 'planner@us' }, { agent: 'dashboard@us', proposal: { day: 'monday' } }],
    });
    await page.getByRole('tab', { name: 'Activity' }).click();
    const cut = page.getByRole('table', { name: 'What happened' }).getByText(reason);
    await cut.hover({ position: { x: 5, y: 5 } });
    // What has no room is there whole for who points at it.
    await page.getByTitle(reason).waitFor();
    // And for who comes there by the keys, until another key is pressed.
    await page.mouse.move(0, 0);
    const tip = page.getByRole('tooltip').filter({ hasText: reason });
    await page.keyboard.press('j');
    await tip.waitFor();
    await page.keyboard.press('Shift');
    await tip.waitFor({ state: 'hidden' });
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await tip.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Rooms', level: 1 }).waitFor();
    await tip.waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('take a file, show its text by page, find words in it and delete it', async () => {
    const { room_id } = await app.call('rooms.create', { name: 'Files', label: 'us' }, planner);
    await app.call('rooms.join', { room_id }, { agent_id: 'dashboard' });
    const { page, complaints } = await open(`#/rooms/${room_id}?part=documents`);
    await page.getByText('No document yet').waitFor();
    await page.getByText(`/api/v1/rooms/${room_id}/documents`).waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'Add a document' });
    const buffer = Buffer.from(`Ship on monday, ${HOSTILE}\fWatch the queue.`);
    await dialog.getByLabel('File').setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer });
    await dialog.getByLabel('What it is called').fill('The plan');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('table', { name: 'Documents' }).getByText('plan.txt').waitFor();
    await caughtUp(app);
    await page.getByRole('table', { name: 'Documents' }).getByText('ready').waitFor();
    await page.getByLabel('Words in the documents').fill('queue');
    await page.getByText('1 passage, the best first').waitFor();
    expect(await page.locator('mark').allInnerTexts()).toEqual(['queue']);
    await page.getByRole('main').getByRole('link', { name: 'The plan' }).click();
    const text = region(page, 'The plan');
    await text.getByText('page 2').waitFor();
    await text.getByText(HOSTILE).waitFor();
    await text.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const asked = page.getByRole('dialog', { name: 'Delete the document' });
    await asked.getByRole('textbox').fill('plan.txt');
    await asked.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No document yet').waitFor();
    expect((await app.call('room_documents.list', { room_id }, planner)).documents).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('show the newest of what happened, of however much', async () => {
    const { room_id } = await app.call('rooms.create', { name: 'Busy', label: 'us' }, planner);
    await app.call('rooms.join', { room_id }, { agent_id: 'dashboard' });
    for (let n = 1; n <= 120; n++)
      await app.call('entries.write', { entity_path: `@${room_id}/plan`, key: `k${n}`, value: n }, planner);
    const { page } = await open(`#/rooms/${room_id}?part=activity`);
    const rows = page.getByRole('table', { name: 'What happened' }).getByRole('row');
    await expect.poll(() => rows.nth(1).innerText()).toContain('k120');
    await rows.nth(1).getByRole('link').click();
    await page.getByRole('heading', { name: 'k120', level: 1 }).waitFor();
    // What only entries of an account have is not asked for.
    expect(await page.getByRole('main').getByRole('alert').count()).toBe(0);
    await page.getByRole('link', { name: 'in a room' }).click();
    await page.getByRole('heading', { name: 'Busy', level: 1 }).waitFor();
    await page.close();
  });

  it('are changed, opened to the directory and closed by their owner', async () => {
    const { room_id } = await app.call('rooms.create', { name: 'Old name', label: 'us' }, planner);
    const { page, complaints } = await open(`#/rooms/${room_id}`);
    await page.getByRole('heading', { name: 'Old name', level: 1 }).waitFor();
    await page.keyboard.press('e');
    const dialog = page.getByRole('dialog', { name: 'Edit the room' });
    await dialog.getByLabel('Name').fill('New name');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'New name', level: 1 }).waitFor();
    const menu = page.getByRole('main').getByRole('button', { name: 'More' }).first();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Let other accounts find it' }).click();
    await page.getByText('discoverable', { exact: true }).waitFor();
    expect(await app.call('room_directory.read', { room_id }, planner)).toMatchObject({ name: 'New name' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Close the room…' }).click();
    const asked = page.getByRole('dialog', { name: 'Close the room for all' });
    await asked.getByRole('textbox').fill(room_id);
    await asked.getByRole('button', { name: 'Close the room…' }).click();
    await page.getByRole('heading', { name: 'Rooms', level: 1 }).waitFor();
    await caughtUp(app);
    expect((await app.call('rooms.list', {}, planner)).rooms.map((room) => room.room_id)).not.toContain(room_id);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('invite with a token, which is shown once', async () => {
    const { room_id } = await app.call('rooms.create', { name: 'With others', label: 'us' }, planner);
    const { page, complaints } = await open(`#/rooms/${room_id}`);
    await page.getByRole('button', { name: 'Invite…' }).click();
    await page.getByRole('dialog', { name: 'Invite an account' }).getByRole('button', { name: 'Invite' }).click();
    const shown = page.getByRole('dialog', { name: 'Token of the invitation' });
    await shown.getByText(`${room_id}.`).waitFor();
    await shown.getByRole('button', { name: 'Done' }).click();
    await shown.waitFor({ state: 'detached' });
    const { invitations } = await app.call('rooms.list_invitations', { room_id }, planner);
    expect(invitations).toMatchObject([{ status: 'pending', account_id: null }]);
    await page.getByRole('button', { name: 'Withdraw the invitation of whoever has the token' }).click();
    await region(page, 'Open invitations').waitFor({ state: 'detached' });
    expect((await app.call('rooms.list_invitations', { room_id }, planner)).invitations).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
