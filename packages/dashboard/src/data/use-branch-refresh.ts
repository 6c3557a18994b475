import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { OperationName } from './client.ts';
import { live } from './live.ts';

const AT_MOST_EVERY_MS = 500;

/** Asks again for what these operations showed, as soon as an event of these types has happened on any branch. */
export function useBranchRefresh(types: ReadonlySet<string>, names: readonly OperationName[]): void {
  const queries = useQueryClient();
  const wanted = useRef({ types, names });
  wanted.current = { types, names };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leave = live.listen((events) => {
      if (timer !== undefined || !events.some(({ event_type }) => wanted.current.types.has(event_type))) return;
      timer = setTimeout(() => {
        timer = undefined;
        for (const name of wanted.current.names) void queries.invalidateQueries({ queryKey: [name] });
      }, AT_MOST_EVERY_MS);
    });
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [queries]);
}
