import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { serviceUrl } from '../data/client.ts';
import { hrefOf } from '../router/address.ts';
import { navigate, useBrowserAddress } from '../router/router.tsx';
import { commands as texts } from '../texts/commands.ts';
import { shell } from '../texts/shell.ts';
import { copyText } from '../ui/copy-button.tsx';
import { showToast, Toasts } from '../ui/toast.tsx';
import { type PageCommand, useCommands, useKeyboard } from './commands.ts';
import { Navigation, TabBar } from './navigation.tsx';
import { Offline } from './offline.tsx';
import { Outlet, pageOf } from './outlet.tsx';
import styles from './shell.module.css';
import { SignIn } from './sign-in.tsx';
import { Slow } from './slow.tsx';
import { switchTheme } from './theme.ts';
import { TopBar, toggleLive } from './top-bar.tsx';
import { endTour, useIsTouring } from './tour-state.ts';
import { useShownPages } from './use-pages.ts';

// What floats is loaded after the first paint; the shell owns the keys, so none is lost meanwhile.
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const Tour = lazy(async () => ({ default: (await import('./tour.tsx')).Tour }));
const KeySheet = lazy(async () => ({ default: (await import('./key-sheet.tsx')).KeySheet }));

type Overlay = 'palette' | 'keys' | undefined;

/** Everything around a page. */
export function Shell() {
  const pages = useShownPages();
  const [overlay, setOverlay] = useState<Overlay>();
  const close = () => setOverlay(undefined);
  const isTouring = useIsTouring();
  useKeyboard();
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
      <Suspense fallback={null}>
        {overlay === 'palette' && <Palette onClose={close} />}
        {overlay === 'keys' && <KeySheet onClose={close} />}
        {isTouring && <Tour onClose={endTour} />}
      </Suspense>
    </div>
  );
}

function useShellCommands(setOverlay: (overlay: Overlay) => void): void {
  const copyLink = () => void copyText(location.href).then(() => showToast(texts.linkCopied));
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
  ]);
}

/** `/` goes to the filter or search of the page, which is marked as such. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLElement>('main [data-page-search]');
  field?.focus();
  return field !== null;
}

function openCopyAs(): void {
  document.querySelector<HTMLElement>('main [data-copy-as]')?.click();
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
    if (page === first) return;
    const main = document.getElementById('main');
    main?.scrollTo(0, 0);
    main?.focus({ preventScroll: true });
  }, [page, first]);
}
