import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { client, isMemError, type OperationName } from './client.ts';
import { live } from './live.ts';

const EVERY_MS = 4_000;
const MOST_EVENTS = 500;

/**
 * Asks again for what these operations showed, as soon as an event of these types has happened on any branch; the stream has
 * those of one branch only. Nothing is asked while live is paused or the tab is hidden.
 */
export function useBranchRefresh(types: ReadonlySet<string>, names: readonly OperationName[]): void {
  const queries = useQueryClient();
  const wanted = useRef({ types, names });
  wanted.current = { types, names };
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let after: string | number | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      if (document.hidden || live.status().state === 'paused') return;
      if (after === undefined) {
        after = (await client().call('stats.read', {}, { signal })).last_seq;
        return;
      }
      const { events, last_position } = await client().call('log.list', { after, limit: MOST_EVENTS }, { signal });
      after = last_position;
      if (!events.some(({ event_type }) => wanted.current.types.has(event_type))) return;
      for (const name of wanted.current.names) void queries.invalidateQueries({ queryKey: [name] });
    };
    const lookAgain = async () => {
      clearTimeout(timer);
      try {
        await look();
      } catch (error) {
        // What is wrong is said where the page itself asks. After a restored backup the place means nothing.
        if (isMemError(error, 'log_rewound')) after = undefined;
      }
      if (!signal.aborted) timer = setTimeout(lookAgain, EVERY_MS);
    };
    void lookAgain();
    // The stream shows that the page is live, and what happens on main is seen at once.
    const leave = live.listen(() => void lookAgain());
    return () => {
      stop.abort();
      clearTimeout(timer);
      leave();
    };
  }, [queries]);
}
