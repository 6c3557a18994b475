import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { OperationName } from './client.ts';

/** Asks again every so often while something is under way. */
export function useRefreshWhile(isUnderWay: boolean, name: OperationName, everyMs: number): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!isUnderWay) return undefined;
    const timer = setInterval(() => void queries.invalidateQueries({ queryKey: [name] }), everyMs);
    return () => clearInterval(timer);
  }, [isUnderWay, name, everyMs, queries]);
}
