import { ui } from '../texts/ui.ts';
import { Button } from './button.tsx';
import styles from './data.module.css';

type Growing = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };

/** Brings the next page of what `usePages` asks; nothing where there is none. */
export function ShowMore({ pages, label = ui.showMore }: { pages: Growing; label?: string }) {
  if (!pages.hasNextPage) return null;
  return (
    <div className={styles.showMore}>
      <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
}
