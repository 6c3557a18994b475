import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { FakeClock } from '../../support/app.ts';

/** The dashboard compares what it shows with the time of the browser. */
export const realClock = (): FakeClock => ({ now: () => Date.now(), advance() {} });

export const THEMES = ['light', 'dark'] as const;
export const WIDTHS = [375, 1440] as const;
export const LOOKS = THEMES.flatMap((theme) => WIDTHS.map((width) => ({ theme, width })));
export type Look = (typeof LOOKS)[number];

export async function wear(page: Page, { theme, width }: Look): Promise<void> {
  await page.setViewportSize({ width, height: width < 800 ? 812 : 900 });
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type AxeFinding = { id: string; impact: string; help: string; nodes: { target: string[]; failureSummary: string }[] };

/** Waits until the page is drawn as it stays: colours that are measured half-way through a change belong to no theme. */
const finishedDrawing = (page: Page) =>
  page.evaluate(`(async () => {
    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
    await frame();
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    await frame();
  })()`);

/** What axe finds on a page. */
export async function findings(page: Page): Promise<string[]> {
  await finishedDrawing(page);
  // A window keeps it from address to address.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: AxeFinding[] }>(
    `axe.run(document, { resultTypes: ['violations'] })`,
  );
  return violations.map(
    ({ id, impact, nodes }) =>
      `${impact} ${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} (${failureSummary})`).join(', ')}`,
  );
}

/** Pages never scroll sideways. */
export async function expectNoSidewaysScroll(page: Page, where = ''): Promise<void> {
  const tooWide = (element: string) => `${element}.scrollWidth - ${element}.clientWidth`;
  const wide = await page.evaluate(
    `[${tooWide('document.documentElement')}, ${tooWide('document.querySelector("main")')}]`,
  );
  expect(wide, where).toEqual([0, 0]);
}

/** How much of what it shows is cut off, from side to side. */
export const cutPx = (part: Locator): Promise<number> =>
  part.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
