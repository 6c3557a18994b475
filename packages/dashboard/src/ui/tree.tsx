import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { Icon } from './icons.tsx';
import styles from './lists.module.css';

/** A tree as the rows that are open at the moment, from top to bottom. */
export type TreeRow = {
  id: string;
  level: number;
  label: ReactNode;
  end?: ReactNode;
  /** Undefined: it has nothing below it. */
  isOpen?: boolean;
};

type TreeProps = {
  label: string;
  rows: readonly TreeRow[];
  selected?: string | undefined;
  onSelect: (id: string) => void;
  onFold: (id: string, open: boolean) => void;
};

/** Arrows move, left and right fold, Enter selects. */
export function Tree({ label, rows, selected, onSelect, onFold }: TreeProps) {
  const list = useRef<HTMLDivElement>(null);
  const stop = rows.some(({ id }) => id === selected) ? selected : rows[0]?.id;
  const focus = (index: number) => {
    const item = list.current?.children[index];
    if (item instanceof HTMLElement) item.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, index: number) => {
    const row = rows[index];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const { id, isOpen, level } = row;
    if (event.key === 'ArrowDown' || event.key === 'j') focus(index + 1);
    else if (event.key === 'ArrowUp' || event.key === 'k') focus(index - 1);
    else if (event.key === 'Home') focus(0);
    else if (event.key === 'End') focus(rows.length - 1);
    else if (event.key === 'ArrowRight' && isOpen === false) onFold(id, true);
    else if (event.key === 'ArrowRight' && isOpen) focus(index + 1);
    else if (event.key === 'ArrowLeft' && isOpen) onFold(id, false);
    else if (event.key === 'ArrowLeft') focus(rows.slice(0, index).findLastIndex((above) => above.level < level));
    else if (event.key === 'Enter' || event.key === ' ') onSelect(id);
    else return;
    event.preventDefault();
  };
  return (
    <div ref={list} className={styles.tree} role="tree" aria-label={label}>
      {rows.map((row, index) => (
        <TreeItem
          key={row.id}
          row={row}
          isSelected={row.id === selected}
          isStop={row.id === stop}
          onSelect={onSelect}
          onFold={onFold}
          onKeyDown={(event) => onKeyDown(event, index)}
        />
      ))}
    </div>
  );
}

type ItemProps = Pick<TreeProps, 'onSelect' | 'onFold'> & {
  row: TreeRow;
  isSelected: boolean;
  isStop: boolean;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
};

function TreeItem({ row, isSelected, isStop, onSelect, onFold, onKeyDown }: ItemProps) {
  const { id, level, label, end, isOpen } = row;
  return (
    <div
      role="treeitem"
      className={styles.treeItem}
      style={{ paddingLeft: 4 + level * 14 }}
      aria-level={level + 1}
      aria-expanded={isOpen}
      aria-selected={isSelected}
      tabIndex={isStop ? 0 : -1}
      onClick={() => onSelect(id)}
      onKeyDown={onKeyDown}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys fold; this is for the pointer. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above. */}
      <span
        className={styles.treeFold}
        onClick={(event) => {
          if (isOpen === undefined) return;
          event.stopPropagation();
          onFold(id, !isOpen);
        }}
      >
        {isOpen !== undefined && <Icon name={isOpen ? 'down' : 'right'} />}
      </span>
      <span className="grow cut">{label}</span>
      <span className="third small">{end}</span>
    </div>
  );
}
