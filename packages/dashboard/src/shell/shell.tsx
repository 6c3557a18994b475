import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { serviceUrl } from '../data/client.ts';
import { useEndOfFirstPaint } from '../data/first-paint.ts';
import { hrefOf } from '../router/address.ts';
import { navigate, useBrowserAddress } from '../router/router.tsx';
import { commands as texts } from '../texts/commands.ts';
import { shell } from '../texts/shell.ts';
import { copyText } from '../ui/copy-button.tsx';
import { listLeftAt, takeReturn } from '../ui/opened-row.ts';
import { showToast, Toasts } from '../ui/toast.tsx';
import { type PageCommand, useCommands, useKeyboard } from './commands.ts';
import { shownCrumbs } from './crumbs.ts';
import { Navigation, TabBar } from './navigation.tsx';
import { Offline } from './offline.tsx';
import { Outlet, pageOf } from './outlet.tsx';
import { Palette } from './palette.tsx';
import styles from './shell.module.css';
import { SignIn } from './sign-in.tsx';
import { Slow } from './slow.tsx';
import { switchTheme } from './theme.ts';
import { TopBar, toggleLive } from './top-bar.tsx';
import { endTour, useIsTouring } from './tour-state.ts';
import { useShownPages } from './use-pages.ts';

// What floats is loaded when it is asked for, except for the palette: its field takes what is typed right after the keys.
const Tour = lazy(async () => ({ default: (await import('./tour.tsx')).Tour }));
const KeySheet = lazy(async () => ({ default: (await import('./key-sheet.tsx')).KeySheet }));

type Overlay = 'palette' | 'keys' | undefined;

/** Everything around a page. */
export function Shell() {
  const pages = useShownPages();
  const [overlay, setOverlay] = useState<Overlay>();
  const close = () => setOverlay(undefined);
  const isTouring = useTour();
  useKeyboard();
  useEndOfFirstPaint();
  useShellCommands(setOverlay);
  useCommands(
    useMemo(
      () =>
        pages.map(({ id, title, letter }): PageCommand => {
          const keys = letter === undefined ? {} : { keys: `g ${letter}` };
          return { id: `go-${id}`, label: title, group: 'go', ...keys, run: () => navigate(hrefOf(id)) };
        }),
      [pages],
    ),
  );
  useFocusOnNewPage();
  return (
    <div className={styles.shell}>
      {/* biome-ignore lint/a11y/useValidAnchor: a skip link is known by its address, which the click does not follow. */}
      <a className={styles.skip} href="#main" onClick={skipToMain}>
        {shell.skip}
      </a>
      <Navigation pages={pages} />
      <TopBar onFind={() => setOverlay('palette')} />
      <main id="main" className={styles.main} tabIndex={-1}>
        <Offline />
        <Outlet />
      </main>
      <Slow />
      <TabBar pages={pages} />
      <Toasts />
      <SignIn />
      {overlay === 'palette' && <Palette onClose={close} />}
      <Suspense fallback={null}>
        {overlay === 'keys' && <KeySheet onClose={close} />}
        {isTouring && <Tour onClose={endTour} />}
      </Suspense>
    </div>
  );
}

/** The tour leads through Overview, and ends where somebody goes on to another page. */
function useTour(): boolean {
  const isTouring = useIsTouring();
  const isOverview = pageOf(useBrowserAddress())?.id === 'overview';
  useEffect(() => {
    if (isTouring && !isOverview) endTour();
  }, [isTouring, isOverview]);
  return isTouring && isOverview;
}

function useShellCommands(setOverlay: (overlay: Overlay) => void): void {
  useCommands([
    { id: 'write', label: texts.write, run: () => navigate(hrefOf('memory', '', { do: 'new' })) },
    { id: 'docs', label: texts.docs, run: () => location.assign(`${serviceUrl()}docs`) },
    {
      id: 'palette',
      label: texts.palette,
      keys: 'mod+k',
      group: 'any',
      unlisted: true,
      run: () => setOverlay('palette'),
    },
    { id: 'keys', label: texts.keys, keys: '?', group: 'any', run: () => setOverlay('keys') },
    { id: 'theme', label: texts.theme, keys: 't', group: 'any', run: switchTheme },
    { id: 'link', label: texts.copyLink, keys: 'y', group: 'page', run: copyLink },
    { id: 'copy-as', label: texts.copyAs, keys: 'c', group: 'page', run: openCopyAs },
    {
      id: 'find',
      label: texts.find,
      keys: '/',
      group: 'page',
      unlisted: true,
      run: () => focusSearch() || setOverlay('palette'),
    },
    { id: 'live', label: texts.pauseLive, keys: 'p', group: 'any', run: toggleLive },
    { id: 'list-next', label: texts.toRows, keys: 'j', unlisted: true, run: () => focusRows('nextElementSibling') },
    {
      id: 'list-previous',
      label: texts.toRows,
      keys: 'k',
      unlisted: true,
      run: () => focusRows('previousElementSibling'),
    },
    { id: 'back', label: texts.back, keys: 'Escape', unlisted: true, run: goBack },
  ]);
}

const copyLink = () => void copyText(location.href).then(() => showToast(texts.linkCopied));

const shownIn = (selector: string): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>(selector)].find((found) => found.getClientRects().length > 0);

/** `/` goes to the filter or search of the page, which is marked as such; a button opens what it has. */
function focusSearch(): boolean {
  const field = shownIn('main [data-page-search]');
  field?.focus();
  if (field instanceof HTMLButtonElement) field.click();
  return field !== undefined;
}

/** The rows of a page, from anywhere on it. Lists move by themselves once they have the focus; rows with a link do so here. */
function focusRows(to: 'nextElementSibling' | 'previousElementSibling'): void {
  const at = document.activeElement;
  if (at?.closest('[role="grid"], [role="treegrid"], [role="tree"], tr[tabindex]')) return;
  const row = at?.closest('tbody tr');
  const next = row
    ? row[to]?.querySelector<HTMLElement>(OPENS)
    : shownIn(`main :is([role="grid"], [role="treegrid"], tr[tabindex="0"], tbody tr :is(${OPENS}))`);
  next?.focus();
}

const OPENS = 'a, button';

/** From one thing to the list that it is in. What is open on a page closes first, by keys of its own. */
function goBack(): void {
  if (document.querySelector(':popover-open')) return;
  const above = shownCrumbs()
    .slice(0, -1)
    .findLast(({ href }) => href !== undefined);
  if (above?.href !== undefined) navigate(listLeftAt(above.href) ?? above.href);
}

/** That of the page, and where it has none at the moment the address, which every page has. */
function openCopyAs(): void {
  const menu = shownIn('main [data-copy-as]');
  if (menu) menu.click();
  else copyLink();
}

function skipToMain(event: React.MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

/** A new page begins at its top, and with the focus on it, so that a screen reader reads on from there. */
function useFocusOnNewPage(): void {
  const page = pageOf(useBrowserAddress())?.id;
  const [first] = useState(page);
  useEffect(() => {
    if (takeReturn() || page === first) return;
    const main = document.getElementById('main');
    main?.scrollTo(0, 0);
    main?.focus({ preventScroll: true });
  }, [page, first]);
}
