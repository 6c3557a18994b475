import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caughtUp } from '../briefing/caught-up.ts';
import { newStranger } from '../contract/room-access.ts';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { useBrowser } from '../support/browser.ts';
import { builtDashboard } from '../support/dashboard.ts';
import { realClock } from './support/window.ts';

const HOSTILE = '<img src=x onerror="document.title=1">';

describe.each(backends)('The directory of rooms on %s', (backend) => {
  const newPage = useBrowser();
  let app: TestApp;
  let server: TestServer;
  beforeAll(async () => {
    app = await openTestApp(backend, { clock: realClock() });
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
  /** A room of another account that can be found. */
  const foundRoom = async (name: string, description = '') => {
    const owner = await newStranger(app, 'keeper');
    const { room_id } = await app.call('rooms.create', { name, description, label: 'keepers' }, owner);
    await app.call('rooms.update', { room_id, discoverable: true }, owner);
    return { room_id, owner };
  };
  /** A room of the account, with a request of another. */
  const askedRoom = async (name: string, message: string) => {
    const { room_id } = await app.call('rooms.create', { name, label: 'us' }, planner);
    await app.call('rooms.update', { room_id, discoverable: true }, planner);
    const stranger = await newStranger(app, 'tester');
    await app.call('room_directory.request_access', { room_id, message, label: 'guests' }, stranger);
    return { room_id, stranger };
  };

  it('is empty at first, and says how a room comes into it', async () => {
    const { page, complaints } = await open('#/rooms');
    await page.getByText('No room yet').waitFor();
    await page.keyboard.press('f');
    await page.getByText('No room can be found yet').waitFor();
    await page.getByText('once its owner lets other accounts find it').waitFor();
    expect(new URL(page.url()).hash).toBe('#/rooms/directory');
    await page.getByRole('tab', { name: 'Your requests' }).click();
    await page.getByText('No request yet').waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('finds rooms by words, and asks for access to one with the keys', async () => {
    const { room_id, owner } = await foundRoom('Release planning', HOSTILE);
    await foundRoom('Incident reviews');
    const { page, complaints } = await open('#/rooms/directory');
    const list = page.getByRole('table', { name: 'Room directory' });
    await list.getByText('Incident reviews').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('nothing like it');
    await page.getByText('No room matches').waitFor();
    await page.getByRole('button', { name: 'Show all rooms' }).click();
    await page.getByRole('searchbox').fill('release');
    await list.getByText('Incident reviews').waitFor({ state: 'detached' });
    await list.getByText('Release planning').waitFor();
    await page.getByRole('tab', { name: 'Rooms' }).focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const details = page.getByRole('complementary', { name: 'Room Release planning' });
    await details.getByText(HOSTILE).waitFor();
    await details.getByText('1 account, 1 agent').waitFor();
    expect(new URL(page.url()).hash).toBe(`#/rooms/directory?q=release&room=${room_id}`);
    await page.keyboard.press('a');
    const form = page.getByRole('dialog', { name: 'Request access to Release planning' });
    await form.getByLabel('Message for the owner').fill(HOSTILE);
    await form.getByLabel('What your account would like to be called in it').fill('platform');
    await form.getByRole('button', { name: 'Send the request' }).click();
    await details.getByText('The owner has not answered yet.').waitFor();
    await list.getByText('waiting', { exact: true }).waitFor();
    const { access_requests } = await app.call('rooms.list_access_requests', { room_id }, owner);
    expect(access_requests).toMatchObject([{ agent: 'dashboard@platform', message: HOSTILE }]);
    await page.keyboard.press('Escape');
    await details.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Rooms', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('shows how the requests of the account stand, as they are answered', async () => {
    const rooms = [await foundRoom('Approving'), await foundRoom('Declining')];
    const { page, complaints } = await open('#/rooms/directory?view=requests');
    const list = page.getByRole('table', { name: 'Requests for access' });
    const ids = [];
    for (const { room_id } of rooms) {
      const asked = { room_id, message: 'We test the releases.' };
      ids.push((await app.call('room_directory.request_access', asked, planner)).access_request_id);
    }
    const row = (name: string) => list.getByRole('row').filter({ hasText: name });
    await row('Declining').getByText('waiting').waitFor();
    for (const [i, { room_id, owner }] of rooms.entries()) {
      const answered = { room_id, access_request_id: ids[i] as string };
      await app.call(i === 0 ? 'rooms.approve_access' : 'rooms.decline_access', answered, owner);
    }
    await caughtUp(app);
    await row('Approving').getByText('approved').waitFor();
    await row('Declining').getByText('declined').waitFor();
    await row('Declining').getByRole('link').click();
    await page.getByText('The owner declined. You can ask again after').waitFor();
    expect(await page.getByRole('button', { name: 'Request access…' }).count()).toBe(0);
    await page.goto(`${server.url}/#/rooms/directory?room=${rooms[0]?.room_id}`);
    await page.getByRole('link', { name: 'Open the room' }).click();
    await page.getByRole('heading', { name: 'Approving', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('says where a room that a link leads to is not there', async () => {
    const { page } = await open('#/rooms/directory?room=gone-abc123');
    const details = page.getByRole('complementary', { name: 'Room gone-abc123' });
    await details.getByRole('alert').getByText('This is not there').waitFor();
    await page.close();
  });

  it('brings requests to the owner of a room, who approves and declines them', async () => {
    const { room_id, stranger } = await askedRoom('Asked for', HOSTILE);
    const second = await newStranger(app, 'reviewer');
    await app.call('room_directory.request_access', { room_id, label: 'others' }, second);
    const { page, complaints } = await open(`#/rooms/${room_id}`);
    const requests = region(page, 'Requests for access');
    await requests.getByText(HOSTILE).waitFor();
    await requests.getByRole('button', { name: 'Approve the request of tester@guests' }).click();
    await region(page, 'Members').getByText('tester@guests').waitFor();
    await requests.getByRole('button', { name: 'Decline the request of reviewer@others' }).click();
    const asked = page.getByRole('dialog', { name: 'Decline the request of reviewer@others' });
    await asked.getByText('cannot ask again until').waitFor();
    await asked.getByRole('button', { name: 'Decline', exact: true }).click();
    await requests.getByText('No account waits for an answer.').waitFor();
    expect(await app.call('rooms.read', { room_id }, stranger)).toMatchObject({ label: 'guests' });
    expect((await app.call('rooms.read', { room_id }, planner)).account_count).toBe(2);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('is not needed where the owner gives an account access by its id', async () => {
    const { room_id, stranger } = await askedRoom('Given', 'please');
    const { page, complaints } = await open(`#/rooms/${room_id}`);
    const give = async (account_id: string) => {
      await page.getByRole('main').getByRole('button', { name: 'More' }).first().click();
      await page.getByRole('menuitem', { name: 'Give access…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Give an account access' });
      await dialog.getByLabel('Id of the account').fill(account_id);
      await page.keyboard.press('Enter');
    };
    await give(stranger.account_id);
    await page.getByText('The account is in the room').waitFor();
    await region(page, 'Members').getByText('tester@guests').waitFor();
    const uninvited = (await newStranger(app)).account_id;
    await give(uninvited);
    await page.getByText('it is invited').waitFor();
    await region(page, 'Open invitations').getByText(uninvited).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('has the titles of topics: paths that are shared, shared again and removed', async () => {
    const write = (value: string) =>
      app.call('entries.write', { entity_path: 'checkout/retries', key: 'policy', value }, planner);
    await write('three');
    await write('five');
    const { room_id } = await app.call('rooms.create', { name: 'Sharing', label: 'us' }, planner);
    await app.call('rooms.update', { room_id, discoverable: true }, planner);
    await app.call('rooms.join', { room_id }, { agent_id: 'dashboard' });
    const { page, complaints } = await open(`#/rooms/${room_id}?part=topics`);
    await page.getByText('No topic yet').waitFor();
    await page.keyboard.press('n');
    const form = page.getByRole('dialog', { name: 'Share a path with the room' });
    await form.getByLabel('Path', { exact: true }).fill('nowhere');
    await form.getByText('The dashboard sees no entry there.').waitFor();
    await form.getByLabel('Path', { exact: true }).fill('checkout/**');
    await form.getByText('1 entry at 1 path now.').waitFor();
    await form.getByLabel('What it is about').fill(HOSTILE);
    await form.getByRole('button', { name: 'Share', exact: true }).click();
    const shared = page.getByRole('dialog', { name: 'The path is shared' });
    await shared.getByText(`@${room_id}/topics/us/checkout`).waitFor();
    expect(await shared.getByRole('definition').allInnerTexts()).toEqual([expect.any(String), '1', '2', '0']);
    await shared.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('table', { name: 'Topics' }).getByRole('row').filter({ hasText: HOSTILE });
    await row.getByText('checkout/**').waitFor();
    expect((await app.call('room_directory.read', { room_id }, planner)).topics).toEqual([HOSTILE]);

    const act = async (action: string) => {
      await row.getByRole('button', { name: `Actions for ${HOSTILE}` }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await write('seven');
    await act('Share again');
    await page.getByText('1 version added').waitFor();
    await row.getByRole('link').click();
    await page.getByText('policy').first().waitFor();
    await page.goBack();
    await act('Remove…');
    const asked = page.getByRole('dialog', { name: `Remove ${HOSTILE}` });
    await asked.getByText('Its entries stay in the room').waitFor();
    await asked.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No topic yet').waitFor();
    expect((await app.call('rooms.topics', { room_id }, planner)).topics).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
