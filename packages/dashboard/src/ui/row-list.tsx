import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { classes } from './classes.ts';
import styles from './lists.module.css';
import { hasReturned, openedRowOf, rememberRow } from './opened-row.ts';
import { useRows } from './use-rows.ts';

/** What a page may do with a list from outside. */
export type RowListHandle = { focus: () => void; reveal: (index: number) => void; isAtTop: () => boolean };

/** A row of a tree: how deep it is, and whether what is below it is shown. */
export type RowLevel = { level: number; isOpen?: boolean | undefined };

type RowListProps = {
  label: string;
  count: number;
  rowPx: number;
  /** The content of a row; it is called for rows in view only. */
  row: (index: number) => ReactNode;
  selected?: number | undefined;
  /** The row that the keys stand on. */
  onActive?: (index: number) => void;
  onOpen?: (index: number) => void;
  /** The rows in view, to load what they need. */
  onRange?: (first: number, last: number) => void;
  /** Rows that nest; the list is a tree of rows then. */
  levelOf?: (index: number) => RowLevel;
  /** Keys of the page's own, such as those that fold; true where it did something. */
  onKey?: (key: string, index: number) => boolean;
  /** Without hairlines between rows. */
  plain?: boolean;
  handle?: RefObject<RowListHandle | null>;
};

/** A list of any length with rows of one height. It fills its parent and has one tab stop. */
export function RowList(props: RowListProps) {
  const {
    label,
    count,
    rowPx,
    row,
    selected,
    onActive,
    onOpen,
    onRange,
    levelOf,
    onKey,
    plain = false,
    handle,
  } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { first, last, spacerPx, topOf, keyOf, reveal } = useRows(scroller, count, rowPx);
  const [active, setActive] = useState(selected ?? 0);
  const prefix = useRef(`rows-${Math.random().toString(36).slice(2)}`).current;
  const goTo = (index: number) => {
    const next = Math.min(Math.max(0, index), count - 1);
    setActive(next);
    reveal(next);
    onActive?.(next);
  };
  const open = (index: number) => {
    rememberRow(label, index);
    onOpen?.(index);
  };
  useOpenedRow(label, count, (index, isThere) => {
    reveal(index);
    if (!isThere) return;
    setActive(index);
    scroller.current?.focus({ preventScroll: true });
  });
  useImperativeHandle(handle, () => ({
    focus: () => scroller.current?.focus(),
    reveal: (index) => {
      setActive(index);
      reveal(index);
    },
    isAtTop: () => (scroller.current?.scrollTop ?? 0) < rowPx,
  }));
  useEffect(() => {
    if (last >= first) onRange?.(first, last);
  }, [first, last, onRange]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? rowPx) / rowPx) - 1);
    const next = targetOf(event.key, { active, count, page });
    if (next !== undefined) goTo(next);
    else if (onKey?.(event.key, active)) event.stopPropagation();
    else if (event.key === 'Enter') open(active);
    else return;
    event.preventDefault();
  };
  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its role is that of a grid.
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: see above.
    <div
      ref={scroller}
      className={classes(styles.rows, plain && styles.rowsPlain)}
      role={levelOf ? 'treegrid' : 'grid'}
      aria-label={label}
      aria-rowcount={count}
      aria-activedescendant={count > 0 && active >= first && active <= last ? `${prefix}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div className={styles.rowsSpace} style={{ height: spacerPx }} role="presentation">
        {indexes.map((index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names its active row.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys.
          // biome-ignore lint/a11y/useSemanticElements: see above.
          <div
            key={keyOf(index)}
            id={`${prefix}-${index}`}
            role="row"
            aria-rowindex={index + 1}
            aria-selected={index === selected}
            aria-level={levelOf && levelOf(index).level + 1}
            aria-expanded={levelOf?.(index).isOpen}
            className={classes(styles.row, index === active && styles.rowActive)}
            style={{ height: rowPx, top: topOf(index) }}
            onClick={() => {
              goTo(index);
              open(index);
            }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Somebody who comes back to the list is at the row that was opened; further down, once so many rows are loaded. */
function useOpenedRow(label: string, count: number, goTo: (index: number, isThere: boolean) => void): void {
  const latest = useRef(goTo);
  latest.current = goTo;
  useEffect(() => {
    const opened = Number(openedRowOf(label) ?? Number.NaN);
    if (Number.isNaN(opened)) return;
    const isThere = opened < count;
    if (isThere) hasReturned();
    latest.current(isThere ? opened : count - 1, isThere);
  }, [label, count]);
}

type CellProps = {
  className?: string | undefined;
  children?: ReactNode;
  style?: CSSProperties | undefined;
  title?: string;
};

/** A part of a row. */
export function Cell(props: CellProps) {
  // biome-ignore lint/a11y/useSemanticElements: a table cannot have a million rows.
  // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names its active row.
  return <span role="gridcell" {...props} />;
}

type Place = { active: number; count: number; page: number };

function targetOf(key: string, { active, count, page }: Place): number | undefined {
  switch (key) {
    case 'j':
    case 'ArrowDown':
      return active + 1;
    case 'k':
    case 'ArrowUp':
      return active - 1;
    case 'PageDown':
      return active + page;
    case 'PageUp':
      return active - page;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
