import { readFileSync } from 'node:fs';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { pageTitles } from '../../../packages/dashboard/src/texts/pages.ts';
import { roomDirectory } from '../../../packages/dashboard/src/texts/room-directory.ts';
import { useBrowser, type WatchedPage } from '../../support/browser.ts';
import { builtDashboard } from '../../support/dashboard.ts';
import { type Hosted, type NewAccount, openHosted } from '../../support/hosted.ts';
import { type AccountStory, fillAccount } from './account-story.ts';
import { storyClock } from './trace-story.ts';

/** Pages that ask nothing before somebody does: what a person would ask. */
const QUESTIONS: Readonly<Record<string, string>> = { search: '?q=retry', briefing: '?agent=deploy-bot' };

/** A page of the list of pages, so that one that is added is tested without being named. */
export type ListedPage = {
  id: string;
  title: string;
  address: string;
  /** What the navigation calls it, or the page that it is part of. */
  link: string;
};

// Read, not run: what a page is made of wants a browser.
const source = readFileSync(new URL('../../../packages/dashboard/src/pages.ts', import.meta.url), 'utf8');
const listed = [...source.matchAll(/\bid: '(?<id>[^']+)',\s+title: pageTitles\.(?<name>\w+)/g)];

const inNavigation = listed.map(({ groups: { id = '', name = '' } = {} }): ListedPage => {
  const title = pageTitles[name as keyof typeof pageTitles];
  return { id, title, link: title, address: `#/${id}${QUESTIONS[id] ?? ''}` };
});
if (inNavigation.length !== source.match(/\bload: async/g)?.length)
  throw new Error('pages.ts has pages that are not read here');

/** Those that another page leads to. */
const below: readonly ListedPage[] = [
  { id: 'rooms/directory', title: roomDirectory.title, link: pageTitles.rooms, address: '#/rooms/directory' },
];

export const everyPage: readonly ListedPage[] = [...inNavigation, ...below];

/** One thing of each kind that a page of its own shows, of evaluation and of rooms. */
export const thingsOfTheirOwn = ({ hostile: { trace }, incident_id, fix_id, room }: AccountStory): string[] => [
  `#/rooms/${room.room_id}`,
  `#/rooms/${room.room_id}?part=negotiations&negotiation=${room.negotiation_id}`,
  `#/rooms/${room.room_id}?part=documents`,
  `#/rooms/${room.room_id}?part=documents&document=${room.document_id}`,
  `#/rooms/${room.room_id}?part=topics`,
  `#/rooms/${room.room_id}?part=activity`,
  `#/rooms/directory?room=${room.room_id}`,
  `#/rooms/directory?room=${room.found_id}`,
  '#/rooms/directory?view=requests',
  '#/judges/hostile',
  `#/verdicts?verdict=${trace}.hostile.1`,
  `#/incidents/${incident_id}`,
  '#/behaviors/hostile',
  '#/cases/hostile',
  `#/fixes/${fix_id}`,
];

/** Those that cannot be shown without an answer; an investigation asks once somebody does. */
export const askingPages = everyPage.filter(({ id }) => id !== 'investigation');

/** A window with a page of the dashboard, and what it waits for. */
export type OpenWindow = WatchedPage & { waiting: Set<Request> };

const isStream = (url: string) => url.includes('/stream');
export const isCall = (url: string) => url.includes('/api/v1/');

export const titleOf = ({ title }: Pick<ListedPage, 'title'>): string => `${title} · mem`;

/** Waits until a page is there and its questions are answered. */
export async function waitForPage({ page, waiting }: OpenWindow, listed: Pick<ListedPage, 'title'>): Promise<void> {
  await expect.poll(() => page.title()).toBe(titleOf(listed));
  await quiet({ page, waiting });
}

/** Waits until nothing is asked and nothing loads. */
export async function quiet({ page, waiting }: Pick<OpenWindow, 'page' | 'waiting'>): Promise<void> {
  // What a new address asks for is asked once its page is drawn.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 20)))');
  const isLoading = async () => waiting.size + (await page.locator('main [aria-label="Loading"]').count());
  await expect.poll(async () => (await isLoading()) + (await isLoading()), { interval: 20 }).toBe(0);
}

type Plant = (hosted: Hosted, account: NewAccount) => Promise<void>;

/** A hosted account with a story on every page, and a browser, for a file of tests. `plant`: what else is in it. */
export function useEveryPage(plant: Plant = async () => {}) {
  const newPage = useBrowser();
  let hosted: Hosted;
  let account: NewAccount;
  let story: AccountStory;
  beforeAll(async () => {
    const clock = storyClock();
    hosted = await openHosted('sqlite', {
      app: { clock },
      http: { dashboard: await builtDashboard(), corsOrigins: [] },
    });
    account = await hosted.newAccount();
    await plant(hosted, account);
    story = await fillAccount(hosted.app, account.account_id);
    clock.catchUp();
  });
  afterAll(() => hosted.close());

  const newWindow = async (key: string): Promise<OpenWindow> => {
    const watched = await newPage();
    const waiting = new Set<Request>();
    watched.page.on('request', (request) => !isStream(request.url()) && waiting.add(request));
    const answered = (request: Request) => waiting.delete(request);
    watched.page.on('requestfinished', answered).on('requestfailed', answered);
    // Only where the tab has none: one that was typed in stays after a reload.
    await watched.page.addInitScript(`sessionStorage['mem.key'] ??= ${JSON.stringify(key)}`);
    return { ...watched, waiting };
  };
  const visit = (page: Page, address: string) => page.goto(`${hosted.server.url}/${address}`);

  return {
    hosted: () => hosted,
    account: () => account,
    story: () => story,
    newWindow,
    visit,
    /** A window of an admin, or of another key, at an address. */
    async open(address: string, key = account.key): Promise<OpenWindow> {
      const opened = await newWindow(key);
      await visit(opened.page, address);
      return opened;
    },
  };
}
