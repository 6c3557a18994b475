import { useEffect, useState } from 'react';
import { ui } from '../texts/ui.ts';
import styles from './data.module.css';

const SECOND_MS = 1000;

type StillWorkingProps = { isBusy: boolean /** What is being done, with how many there are of it. */; what?: string };

/**
 * For what the service does in one step, all or nothing: it cannot say how far it is. After a second, how much there is to do and
 * how long it has taken.
 */
export function StillWorking({ isBusy, what = ui.working }: StillWorkingProps) {
  return isBusy ? <Seconds what={what} /> : null;
}

function Seconds({ what }: { what: string }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const begun = performance.now();
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - begun) / SECOND_MS)), SECOND_MS / 4);
    return () => clearInterval(timer);
  }, []);
  if (seconds === 0) return null;
  return (
    <div className={styles.progress}>
      <progress aria-label={what} />
      <span role="status">{what}</span>
      <span className="third">{ui.stillWorking(seconds)}</span>
    </div>
  );
}
