import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useOperation } from '../data/query.ts';
import { overview } from '../texts/overview.ts';
import { showToast } from '../ui/toast.tsx';
import { DEMO_AGENTS, DEMO_PATH } from './entries.ts';

export type DemoState = { done: number; total: number };

/** Demo data: whether it is there, and how to load and remove it. What writes it is loaded on demand. */
export function useDemo() {
  const queries = useQueryClient();
  const found = useOperation(
    'entries.list',
    { entity_path: `${DEMO_PATH}/**`, fields: 'meta', limit: 100 },
    { isLater: true },
  );
  const isOfDemo = ({ provenance }: { provenance: { agent_id: string } }) =>
    provenance.agent_id.startsWith(DEMO_AGENTS);
  const [progress, setProgress] = useState<DemoState>();
  const [error, setError] = useState<unknown>();
  const [isRemoving, setRemoving] = useState(false);
  const stop = useRef<AbortController>(undefined);
  const run = async (work: (demo: typeof import('./demo.ts'), signal: AbortSignal) => Promise<void>) => {
    stop.current = new AbortController();
    setError(undefined);
    try {
      await work(await import('./demo.ts'), stop.current.signal);
    } catch (failure) {
      if (!stop.current.signal.aborted) setError(failure);
    } finally {
      setProgress(undefined);
      await queries.invalidateQueries();
    }
  };
  return {
    isThere: found.data?.entries.some(isOfDemo) ?? false,
    /** While it is written. */
    progress,
    isRemoving,
    error,
    load: () => run(({ loadDemo }, signal) => loadDemo((done, total) => setProgress({ done, total }), signal)),
    remove: async () => {
      setRemoving(true);
      await run(async ({ removeDemo }) => showToast(overview.empty.removed(await removeDemo())));
      setRemoving(false);
    },
    cancel: () => stop.current?.abort(),
  };
}
