import { useEffect } from 'react';
import { client, isMemError } from '../data/client.ts';
import { live } from '../data/live.ts';
import { setOnline, useIsOnline } from '../data/online.ts';
import { queryClient } from '../data/query.ts';
import { useLiveStatus } from '../data/use-live.ts';
import { shell } from '../texts/shell.ts';
import styles from './shell.module.css';

const AGAIN_MS = 3_000;
const NETWORK_EVENTS = ['offline', 'online'] as const;

/** Whether the server answers. Everything is asked again once it does after it did not. */
async function look(wasOnline: boolean): Promise<void> {
  try {
    await client().call('health.read', {}, { retries: 0, timeoutMs: AGAIN_MS });
  } catch (error) {
    return setOnline(!isMemError(error) || error.status !== 0);
  }
  setOnline(true);
  if (wasOnline) return;
  live.reconnect();
  await queryClient.invalidateQueries();
}

/** Says that the server is gone, and loads the page again when it is back. */
export function Offline() {
  const isOnline = useIsOnline();
  const isLost = useLiveStatus().state === 'reconnecting';
  useEffect(() => {
    if (isLost) void look(true);
  }, [isLost]);
  useEffect(() => {
    const ask = () => void look(isOnline);
    // Without a network every answer may be the last: one that was on its way does not show that the server is still there.
    const timer = setInterval(() => (!isOnline || !navigator.onLine) && ask(), AGAIN_MS);
    for (const name of NETWORK_EVENTS) addEventListener(name, ask);
    return () => {
      clearInterval(timer);
      for (const name of NETWORK_EVENTS) removeEventListener(name, ask);
    };
  }, [isOnline]);
  if (isOnline) return null;
  return (
    <div className={styles.banner} role="status">
      {shell.offline}
    </div>
  );
}
