import { useEffect } from 'react';
import { client } from '../data/client.ts';
import { setOnline, useIsOnline } from '../data/online.ts';
import { queryClient } from '../data/query.ts';
import { shell } from '../texts/shell.ts';
import styles from './shell.module.css';

const AGAIN_MS = 3_000;

/** Says that the server is gone, and loads the page again when it is back. */
export function Offline() {
  const isOnline = useIsOnline();
  useEffect(() => {
    if (isOnline) return;
    const ask = () =>
      client()
        .call('health.read', {}, { retries: 0, timeoutMs: AGAIN_MS })
        .then(() => {
          setOnline(true);
          return queryClient.invalidateQueries();
        })
        .catch(() => undefined);
    const timer = setInterval(() => void ask(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isOnline]);
  if (isOnline) return null;
  return (
    <div className={styles.banner} role="status">
      {shell.offline}
    </div>
  );
}
