import { useIsSlow } from '../data/waits.ts';
import { ui } from '../texts/ui.ts';
import styles from './shell.module.css';

/** A line over the page while something takes over a second: also where an old answer is shown meanwhile. */
export function Slow() {
  return useIsSlow() ? <progress className={styles.slow} aria-label={ui.loading} /> : null;
}
