import { live } from '../data/live.ts';
import { useLiveStatus } from '../data/use-live.ts';
import { minuteTime } from '../texts/format.ts';
import { shell } from '../texts/shell.ts';
import { ButtonLink } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icons.tsx';
import { useShownCrumbs } from './crumbs.ts';
import styles from './shell.module.css';

export const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

export function TopBar({ onFind }: { onFind: () => void }) {
  const crumbs = useShownCrumbs();
  const keys = shell.findKeys(isMac());
  const back = crumbs.at(-1)?.hasBack ? undefined : crumbs.slice(0, -1).findLast(({ href }) => href !== undefined);
  return (
    <header className={styles.top}>
      {back?.href !== undefined && (
        <ButtonLink
          kind="quiet"
          icon="back"
          className={styles.back}
          href={back.href}
          aria-label={shell.backTo(back.label)}
        />
      )}
      <ol className={styles.crumbs}>
        {crumbs.map(({ label, href }, i) => (
          <li key={`${label}-${href}`} aria-current={i === crumbs.length - 1 ? 'page' : undefined}>
            {href === undefined ? label : <a href={href}>{label}</a>}
          </li>
        ))}
      </ol>
      <button
        type="button"
        className={styles.find}
        onClick={onFind}
        aria-label={`${shell.find} ${keys}`}
        data-tour="find"
      >
        <Icon name="search" />
        <span>{shell.find}</span>
        <kbd>{keys}</kbd>
      </button>
      <LiveMark />
    </header>
  );
}

/** Whether what is shown is of this moment. Not there where nothing on the page is live. */
function LiveMark() {
  const { state, at, rate } = useLiveStatus();
  if (state === 'off') return null;
  const dot = { live: '', connecting: styles.dotWaiting, reconnecting: styles.dotWaiting, paused: styles.dotPaused }[
    state
  ];
  return (
    <span className={styles.live} role="status">
      <span className={classes(styles.dot, dot)} />
      {shell.live[state]}
      {state === 'live' && rate > 0 && <span className={`${styles.rate} third`}>{shell.live.rate(rate)}</span>}
      {state === 'reconnecting' && at > 0 && <span className="third">{shell.live.asOf(minuteTime(at))}</span>}
    </span>
  );
}

/** Stops or goes on with what is live. */
export function toggleLive(): void {
  if (live.status().state === 'paused') live.resume();
  else live.pause();
}
