import { useRef } from 'react';
import { useLiveFromNow } from '../../data/use-live.ts';
import { memory } from '../../texts/memory.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { callOf, useEntryRefresh, useHistory, useHistoryOfNow, useStory } from './entry-data.ts';
import { EntryHead } from './entry-head.tsx';
import { EntryParts } from './entry-parts.tsx';
import styles from './memory.module.css';
import type { MemoryAddress, ShownAddress } from './memory-address.ts';

const idOf = ({ entity_path, key, branch }: ShownAddress) => JSON.stringify([entity_path, key, branch]);

/** The entry of the address. The one before stays until the next can be shown. */
export function EntryPane({ address, entry }: { address: MemoryAddress; entry: ShownAddress }) {
  const history = useHistoryOfNow(entry);
  const story = useStory(entry);
  const shown = useRef<ShownAddress>(undefined);
  if (!history.isPending && !story.isPending) shown.current = entry;
  const current = shown.current;
  return (
    <article className={styles.entry} aria-label={memory.entry.title} aria-busy={current !== entry || undefined}>
      {current ? (
        <ShownEntry key={idOf(current)} address={address} entry={current} />
      ) : (
        <div className={styles.padWide}>
          <Skeleton rows={8} />
        </div>
      )}
    </article>
  );
}

function ShownEntry({ address, entry }: { address: MemoryAddress; entry: ShownAddress }) {
  const history = useHistory(entry);
  const story = useStory(entry);
  useLiveFromNow(useEntryRefresh(entry));
  const versions = history.data?.pages.flatMap((page) => page.versions) ?? [];
  const newest = versions[0];
  if (history.error || !newest)
    return (
      <div className={styles.padWide}>
        {history.error ? (
          <ErrorState
            error={history.error}
            onRetry={() => void history.refetch()}
            call={{ name: 'entries.history', input: callOf(entry) }}
          />
        ) : (
          <EmptyState title={memory.entry.missing} />
        )}
        <div>
          <ButtonLink href={address.toList()}>{memory.entry.toList}</ButtonLink>
        </div>
      </div>
    );
  const page = history.data?.pages[0];
  const shown = {
    entry,
    versions,
    newest,
    count: page?.version_count ?? versions.length,
    isQuarantined: page?.quarantined === true,
    hasOlder: history.hasNextPage,
    older: () => void history.fetchNextPage(),
    isLoadingOlder: history.isFetchingNextPage,
    story,
  };
  return (
    <>
      <EntryHead address={address} shown={shown} />
      <EntryParts address={address} shown={shown} />
    </>
  );
}

/** What the parts of the page share. */
export type ShownEntryData = {
  entry: ShownAddress;
  versions: readonly import('./entry-data.ts').PastVersion[];
  newest: import('./entry-data.ts').PastVersion;
  count: number;
  isQuarantined: boolean;
  hasOlder: boolean;
  older: () => void;
  isLoadingOlder: boolean;
  story: ReturnType<typeof useStory>;
};
