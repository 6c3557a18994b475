import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  type SyntheticEvent,
  useLayoutEffect,
  useRef,
} from 'react';
import { classes } from './classes.ts';
import styles from './lists.module.css';
import { hasReturned, openedRowOf, rememberRow } from './opened-row.ts';

export type Column<R> = {
  id: string;
  head: string;
  cell: (row: R) => ReactNode;
  /** A width in px, or a share such as '20%'; the rest share what is left. */
  width?: number | `${number}%`;
  end?: boolean;
  /** Its place in the two lines of a phone: name and time above, detail and value below. */
  phone: 'name' | 'time' | 'detail' | 'value' | 'hide';
  /** A phone shows the heading before it: it would say nothing alone. */
  isNamed?: true;
};

type TableProps<R> = {
  label: string;
  columns: readonly Column<R>[];
  rows: readonly R[];
  keyOf: (row: R) => string | number;
  onOpen?: (row: R) => void;
  selected?: string | number | undefined;
};

/** For some hundred rows; more go into `RowList`. On a phone each row has two lines. */
export function Table<R>({ label, columns, rows, keyOf, onOpen, selected }: TableProps<R>) {
  const body = useOpenedRow(label, rows);
  return (
    // The roles are given because a phone shows rows as a grid, which takes them away.
    // biome-ignore lint/a11y/noRedundantRoles: see above.
    <table className={styles.table} aria-label={label} role="table">
      <colgroup>
        {columns.map(({ id, width }) => (
          <col key={id} width={width} />
        ))}
      </colgroup>
      {/* biome-ignore lint/a11y/noRedundantRoles: see above. */}
      <thead role="rowgroup">
        {/* biome-ignore lint/a11y/noRedundantRoles: see above. */}
        <tr role="row">
          {columns.map(({ id, head, end }) => (
            // biome-ignore lint/a11y/noRedundantRoles: see above.
            <th key={id} scope="col" role="columnheader" className={end ? styles.end : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      {/* biome-ignore lint/a11y/noRedundantRoles: see above. */}
      <tbody role="rowgroup" {...body}>
        {rows.map((row) => (
          <KeptRow
            key={keyOf(row)}
            row={row}
            id={keyOf(row)}
            columns={columns}
            onOpen={onOpen}
            isSelected={selected !== undefined && keyOf(row) === selected}
          />
        ))}
      </tbody>
    </table>
  );
}

/** Somebody who comes back to the list is at the row that was opened. */
function useOpenedRow(label: string, rows: readonly unknown[]) {
  const ref = useRef<HTMLTableSectionElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row may come with more rows.
  useLayoutEffect(() => {
    const wanted = openedRowOf(label);
    const all = ref.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [];
    const row = wanted === undefined ? undefined : [...all].find(({ dataset }) => dataset.row === wanted);
    if (!row) return;
    hasReturned();
    if (row.tabIndex === 0) row.focus();
    else row.querySelector<HTMLElement>('a, button')?.focus();
  }, [label, rows]);
  const remember = ({ target }: SyntheticEvent) => {
    const row = target instanceof Element && target.closest<HTMLElement>('[data-row]')?.dataset.row;
    if (typeof row === 'string') rememberRow(label, row);
  };
  const onKeyDownCapture = (event: KeyboardEvent) => event.key === 'Enter' && remember(event);
  return { ref, onClickCapture: remember, onKeyDownCapture };
}

type RowProps<R> = {
  row: R;
  id: string | number;
  columns: readonly Column<R>[];
  onOpen: ((row: R) => void) | undefined;
  isSelected: boolean;
};

/** With columns and `onOpen` that stay the same, rows that stay are not drawn again. */
const KeptRow = memo(Row) as typeof Row;

function Row<R>({ row, id: rowId, columns, onOpen, isSelected }: RowProps<R>) {
  const open = onOpen && {
    tabIndex: 0,
    className: styles.opens,
    onClick: ({ target }: MouseEvent<HTMLElement>) => {
      // A link goes where it leads, and nowhere else before.
      if (!(target instanceof Element && target.closest('a'))) onOpen(row);
    },
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(row);
      const next = { j: 'next', ArrowDown: 'next', k: 'previous', ArrowUp: 'previous' }[event.key];
      const sibling = next && event.currentTarget[next === 'next' ? 'nextElementSibling' : 'previousElementSibling'];
      if (!(sibling instanceof HTMLElement)) return;
      event.preventDefault();
      sibling.focus();
    },
  };
  return (
    // biome-ignore lint/a11y/noRedundantRoles: see above.
    <tr {...open} role="row" data-row={rowId} aria-selected={isSelected || undefined}>
      {columns.map(({ id, head, cell, end, phone, isNamed }) => (
        // biome-ignore lint/a11y/noRedundantRoles: see above.
        <td key={id} role="cell" className={classes(end && styles.end, styles[phone])} data-head={isNamed && head}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}
