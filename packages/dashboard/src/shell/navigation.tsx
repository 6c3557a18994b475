import { type RefObject, useEffect, useRef, useState } from 'react';
import { signOut } from '../data/change-key.ts';
import { serviceUrl } from '../data/client.ts';
import { useKey } from '../data/key-store.ts';
import { useOperation } from '../data/query.ts';
import type { DashboardPage, PageGroup } from '../pages.ts';
import { hrefOf } from '../router/address.ts';
import { useBrowserAddress } from '../router/router.tsx';
import { shell } from '../texts/shell.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon, Mark } from '../ui/icons.tsx';
import { pageOf } from './outlet.tsx';
import styles from './shell.module.css';
import { switchTheme, useTheme } from './theme.ts';

const GROUPS: readonly PageGroup[] = ['main', 'review', 'evaluation', 'sources', 'admin'];

/** On the left: all pages by group. */
export function Navigation({ pages }: { pages: readonly DashboardPage[] }) {
  const side = useCurrentInView(pages.length);
  return (
    <nav ref={side} className={styles.side} aria-label={shell.navigation} data-tour="navigation">
      <Account />
      <Groups pages={pages} />
      <Foot />
    </nav>
  );
}

/** Between the page that is shown and the edge, so that its neighbours are seen. */
const ROOM = 64;

/** A low window has no room for all pages. `scrollIntoView` would make Tab go on from the one that is shown. */
function useCurrentInView(count: number): RefObject<HTMLElement | null> {
  const side = useRef<HTMLElement>(null);
  const current = pageOf(useBrowserAddress())?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page, or more of them, may be elsewhere.
  useEffect(() => {
    const link = side.current?.querySelector('[aria-current="page"]');
    if (!side.current || !link) return;
    const [all, one] = [side.current.getBoundingClientRect(), link.getBoundingClientRect()];
    side.current.scrollTop += Math.max(0, one.bottom + ROOM - all.bottom) + Math.min(0, one.top - ROOM - all.top);
  }, [current, count]);
  return side;
}

function Account() {
  const me = useOperation('me.read', {}, { isLater: true });
  return (
    <div className={styles.account}>
      <Mark />
      <span className={`${styles.label} cut`}>{me.data?.account.name || shell.product}</span>
    </div>
  );
}

const Groups = ({ pages }: { pages: readonly DashboardPage[] }) =>
  GROUPS.map((group) => (
    <Group key={group} title={shell.groups[group]} pages={pages.filter((page) => page.group === group)} />
  ));

function Group({ title, pages }: { title: string; pages: readonly DashboardPage[] }) {
  if (pages.length === 0) return null;
  return (
    <>
      {title !== '' && (
        <h2>
          <span>{title}</span>
        </h2>
      )}
      <ul>
        {pages.map((page) => (
          <li key={page.id}>
            <Item page={page} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Item({ page }: { page: DashboardPage }) {
  const isCurrent = pageOf(useBrowserAddress())?.id === page.id;
  return (
    <a className={styles.item} href={hrefOf(page.id)} title={page.title} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={page.icon} />
      <span className={styles.label}>{page.title}</span>
    </a>
  );
}

function Foot() {
  const health = useOperation('health.read', {}, { isLater: true });
  const theme = useTheme();
  const key = useKey();
  return (
    <div className={styles.foot}>
      <span>{health.data?.version}</span>
      <a href={`${serviceUrl()}docs`}>{shell.apiDocs}</a>
      <button
        type="button"
        onClick={switchTheme}
        title={shell.changeTheme(shell.themeOf[theme === 'dark' ? 'light' : 'dark'])}
      >
        {shell.theme}
      </button>
      {key !== '' && (
        <button type="button" onClick={signOut}>
          {shell.signIn.signOut}
        </button>
      )}
    </div>
  );
}

/** At the bottom of a phone. */
export function TabBar({ pages }: { pages: readonly DashboardPage[] }) {
  const address = useBrowserAddress();
  const current = pageOf(address)?.id;
  /** The address that all pages are shown over: another one, wherever it comes from, closes them. */
  const [openAt, setOpenAt] = useState<typeof address>();
  const close = () => setOpenAt(undefined);
  return (
    <nav className={styles.tabbar} aria-label={shell.tabBar}>
      {pages
        .filter(({ onPhone }) => onPhone)
        .map(({ id, icon, title }) => (
          <a key={id} className={styles.tab} href={hrefOf(id)} aria-current={id === current ? 'page' : undefined}>
            <Icon name={icon} />
            {title}
          </a>
        ))}
      <button type="button" className={styles.tab} onClick={() => setOpenAt(address)}>
        <Icon name="more" />
        {shell.more}
      </button>
      {openAt !== undefined && openAt === address && (
        <Dialog title={shell.more} onClose={close}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a link does it, also the one of the page shown. */}
          <div className={styles.sheet} onClick={(event) => (event.target as Element).closest('a') && close()}>
            <Groups pages={pages} />
          </div>
          <Foot />
        </Dialog>
      )}
    </nav>
  );
}
