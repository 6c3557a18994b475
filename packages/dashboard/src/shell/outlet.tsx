import { Component, type ComponentType, memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { useKey } from '../data/key-store.ts';
import { logEnd } from '../data/log-end.ts';
import { useIsOnline } from '../data/online.ts';
import { ask } from '../data/query.ts';
import { waitFor } from '../data/waits.ts';
import { OverviewPage } from '../pages/overview/overview-page.tsx';
import { type DashboardPage, type PageProps, pages } from '../pages.ts';
import { type PageAddress, parseHash } from '../router/address.ts';
import { AddressContext, useBrowserAddress } from '../router/router.tsx';
import { shell } from '../texts/shell.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { ErrorState } from '../ui/states.tsx';
import { useCrumbs } from './crumbs.ts';
import styles from './shell.module.css';

type Shown = { page: DashboardPage; View: ComponentType<PageProps>; address: PageAddress };

const loaded = new Map<string, ComponentType<PageProps>>([[pages[0].id, OverviewPage]]);

/** The page of an address. One that names a group only, as `#/admin`, is its first page. */
export function pageOf({ page, rest }: PageAddress): DashboardPage | undefined {
  if (page === '') return pages[0];
  const address = `${page}/${rest}/`;
  return (
    pages.find(({ id }) => address.startsWith(`${id}/`)) ??
    (rest === '' ? pages.find(({ id }) => id.startsWith(`${page}/`)) : undefined)
  );
}

const firstAddress = parseHash(location.hash);
const firstPage = pageOf(firstAddress);
// Asked for before anything is drawn; where it fails, the outlet asks again and says so.
firstPage?.load().catch(() => {});

/** No page waits longer for its first answers: it is drawn without those that are missing. */
const PREPARED_MS = 150;

/**
 * When the page that the app begins with has the answers that it shows first. Others ask when they are drawn: before, it is known
 * where the log ends, so that the stream misses no event that is later than their answers. Pages of admins follow no stream.
 */
export const prepared = (): Promise<unknown> => {
  const isLive = firstPage !== undefined && firstPage.group !== 'admin';
  const answers = firstPage?.prepare?.(firstAddress) ?? (isLive ? logEnd() : undefined);
  return Promise.race([answers, new Promise((resolve) => setTimeout(resolve, PREPARED_MS))]);
};

/** What follows the page in the address. */
const restOf = ({ id }: DashboardPage, { page, rest }: PageAddress): string => `${page}/${rest}`.slice(id.length + 1);

/** The page of the address. The one before stays until the next is loaded. */
export const Outlet = memo(function Outlet() {
  const address = useBrowserAddress();
  const page = pageOf(address);
  const shown = useRef<Shown>(undefined);
  const [, setLoaded] = useState(0);
  const [failure, setFailure] = useState<unknown>();
  useReloadWhenBack(failure !== undefined);
  const key = useKey();
  const View = page && loaded.get(page.id);
  useEffect(() => {
    let isOver = false;
    setFailure(undefined);
    if (!page || loaded.has(page.id)) return;
    waitFor(page.load()).then(
      (view) => {
        loaded.set(page.id, view);
        if (!isOver) setLoaded(loaded.size);
      },
      (error) => {
        if (!isOver) setFailure(error);
        reloadIfBack(page, () => isOver);
      },
    );
    return () => {
      isOver = true;
    };
  }, [page]);
  if (page && View) shown.current = { page, View, address };
  if (!page) return <UnknownPage />;
  if (failure !== undefined) return <Failed error={failure} onRetry={() => location.reload()} />;
  const { current } = shown;
  if (!current) return null;
  return (
    <AddressContext value={current.address}>
      <Boundary key={`${current.page.id} ${key}`}>
        <current.View rest={restOf(current.page, current.address)} />
      </Boundary>
    </AddressContext>
  );
});

/** Pages that could not be loaded. */
const missing = new Set<string>();

/**
 * A browser does not ask again for a script that it could not load. Where a page is opened that failed before, everything is
 * loaded again if the server answers; a page that fails after that says so.
 */
function reloadIfBack({ id }: DashboardPage, isOver: () => boolean): void {
  const hasFailedBefore = missing.has(id);
  missing.add(id);
  // Whether the server is gone is found by asking it.
  ask('health.read', {}).then(
    () => hasFailedBefore && !isOver() && location.reload(),
    () => undefined,
  );
}

/** The same for the page that is shown, as soon as the server is back. */
function useReloadWhenBack(hasFailed: boolean): void {
  const isOnline = useIsOnline();
  const wasLost = useRef(false);
  useEffect(() => {
    const reload = () => {
      // An answer that was on its way comes without a network, too: nothing could be loaded then.
      const isBack = isOnline && navigator.onLine;
      if (hasFailed && isBack && wasLost.current) location.reload();
      wasLost.current = !isBack;
    };
    reload();
    addEventListener('online', reload);
    return () => removeEventListener('online', reload);
  }, [hasFailed, isOnline]);
}

function UnknownPage() {
  useCrumbs([{ label: shell.notFound }]);
  return (
    <div className={styles.message}>
      <h1>{shell.notFound}</h1>
      <p className="second">{shell.notFoundHint}</p>
      <p>
        <ButtonLink href="#/overview">{shell.toOverview}</ButtonLink>
      </p>
    </div>
  );
}

function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div className={styles.message}>
      <h1>{shell.pageFailed}</h1>
      <p className="second">{shell.pageFailedHint}</p>
      <ErrorState error={error} />
      <p>
        <Button onClick={onRetry}>{shell.reload}</Button>
      </p>
    </div>
  );
}

/** Keeps an error within its page. */
class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <Failed error={error} onRetry={() => this.setState({ error: undefined })} />;
  }
}
