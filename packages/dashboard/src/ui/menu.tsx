import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { Icon, type IconName } from './icons.tsx';
import styles from './overlay.module.css';
import { placeBelow } from './place.ts';

export type MenuItem = {
  id: string;
  label: ReactNode;
  /** In grey at its end. */
  note?: string | undefined;
  icon?: IconName;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
};

type MenuProps = Omit<ButtonProps, 'onClick' | 'children'> & {
  label: string;
  /** Shown on the button; without it the button has an icon only. */
  children?: ReactNode;
  items: readonly MenuItem[];
  onOpen?: () => void;
};

/** A button with a menu below it. */
export function Menu({ label, children, items, onOpen, ...button }: MenuProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const anchor = useRef<HTMLSpanElement>(null);
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    if (!list.current || !anchor.current) return;
    list.current.showPopover();
    placeBelow(list.current, anchor.current);
    focusItem(list.current, 0);
    onOpen?.();
  };
  const select = (item: MenuItem) => {
    list.current?.hidePopover();
    anchor.current?.querySelector('button')?.focus();
    item.onSelect();
  };
  return (
    <>
      <span ref={anchor}>
        <Button
          {...button}
          aria-label={label}
          aria-haspopup="menu"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={open}
        >
          {children}
        </Button>
      </span>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        className={styles.menu}
        onToggle={(event) => setOpen(event.newState === 'open')}
        onKeyDown={moveInMenu}
      >
        {isOpen && items.map((item) => <MenuRow key={item.id} item={item} onSelect={() => select(item)} />)}
      </div>
    </>
  );
}

function MenuRow({ item, onSelect }: { item: MenuItem; onSelect: () => void }) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={styles.item}
      disabled={item.disabled}
      onClick={onSelect}
    >
      {item.icon && <Icon name={item.icon} />}
      <span className={item.danger ? 'bad' : undefined}>{item.label}</span>
      {item.note !== undefined && <span className={styles.itemNote}>{item.note}</span>}
    </button>
  );
}

const itemsOf = (menu: HTMLElement) => [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)')];

/** The rows are rendered once the menu is open. */
function focusItem(menu: HTMLElement, index: number): void {
  requestAnimationFrame(() => itemsOf(menu)[index]?.focus());
}

function moveInMenu(event: KeyboardEvent<HTMLElement>): void {
  const items = itemsOf(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (to === undefined || items.length === 0) return;
  event.preventDefault();
  event.stopPropagation();
  items[(to + items.length) % items.length]?.focus();
}
