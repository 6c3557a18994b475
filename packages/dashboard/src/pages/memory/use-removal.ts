import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../data/client.ts';
import { problemOf } from '../../data/problem.ts';
import { memory } from '../../texts/memory.ts';
import { showToast } from '../../ui/toast.tsx';
import { callOf, useEntryChanged } from './entry-data.ts';
import type { ShownAddress } from './memory-address.ts';

const texts = memory.entry;

/** The version of an entry that is deleted. */
export const GONE = 0;

/** Deleting an entry and bringing versions back, each with an undo. */
export function useRemoval(entry: ShownAddress) {
  const queries = useQueryClient();
  const changed = useEntryChanged();
  const refused = (error: unknown) => showToast(texts.refused(problemOf(error).detail));
  const bringBack = async (version: number | undefined, current: number) => {
    const input = { ...callOf(entry), if_version: current, ...(version === undefined ? {} : { version }) };
    return client().call('entries.restore', input);
  };
  const remove = useMutation({
    // What is asked of the story now would come after the deletion, and find none.
    onMutate: () => queries.cancelQueries({ queryKey: ['entries.confidence'] }),
    mutationFn: (version: number) => client().call('entries.delete', { ...callOf(entry), if_version: version }),
    onSuccess: async () => {
      await changed();
      showToast(texts.deletedToast(entry.key), () => undo(undefined, GONE));
    },
    onError: refused,
  });
  const restore = useMutation({
    mutationFn: ({ version, current }: { version: number | undefined; current: number }) => bringBack(version, current),
    onSuccess: async (restored, { current }) => {
      await changed();
      if (restored.unchanged) return showToast(texts.alreadyCurrent);
      // What was there before the restoration; after a deletion that is nothing.
      const back = current === GONE ? () => remove.mutate(restored.version) : () => undo(current, restored.version);
      showToast(texts.restoredToast(restored.restored_from, restored.version), back);
    },
    onError: refused,
  });
  const undo = (version: number | undefined, current: number) => {
    bringBack(version, current).then(changed, refused);
  };
  return {
    remove: (version: number) => remove.mutate(version),
    restore: (version: number | undefined, current: number) => restore.mutate({ version, current }),
    isBusy: remove.isPending || restore.isPending,
  };
}
