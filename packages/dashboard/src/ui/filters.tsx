import { type FormEvent, type ReactNode, useId, useRef } from 'react';
import { ui } from '../texts/ui.ts';
import { Button } from './button.tsx';
import { Chip } from './choices.tsx';
import { classes } from './classes.ts';
import styles from './filters.module.css';
import { Menu } from './menu.tsx';
import { placeBelow } from './place.ts';

type FilterChoice = {
  value: string;
  label: string;
  /** How many there are, where that is known. */
  count?: string | undefined;
};

type ChoiceFilterProps = {
  name: string;
  value: string;
  /** What the button says while nothing is chosen. */
  any: string;
  choices: readonly FilterChoice[];
  onChange: (value: string) => void;
};

/** A filter of a few values: a menu, and once one is chosen a chip that removes it. */
export function ChoiceFilter({ name, value, any, choices, onChange }: ChoiceFilterProps) {
  if (value !== '')
    return (
      <Chip name={name} onRemove={() => onChange('')}>
        {choices.find((choice) => choice.value === value)?.label ?? value}
      </Chip>
    );
  const items = choices.map((choice) => ({
    id: choice.value,
    label: choice.label,
    note: choice.count,
    onSelect: () => onChange(choice.value),
  }));
  return (
    <Menu label={`${name} ${any}`} kind="chipButton" items={items} disabled={items.length === 0}>
      <span className="third">{name}</span> {any}
    </Menu>
  );
}

type TextFilterProps = { name: string; value: string; any: string; hint: string; onChange: (value: string) => void };

/** A filter that is typed, in a small form below its button. */
export function TextFilter({ name, value, any, hint, onChange }: TextFilterProps) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const anchor = useRef<HTMLSpanElement>(null);
  const open = () => {
    if (!form.current || !anchor.current) return;
    form.current.showPopover();
    placeBelow(form.current, anchor.current);
    form.current.querySelector('input')?.focus();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('text');
    event.currentTarget.hidePopover();
    onChange(String(text ?? '').trim());
  };
  if (value !== '')
    return (
      <Chip name={name} onRemove={() => onChange('')}>
        {value}
      </Chip>
    );
  return (
    <>
      <span ref={anchor}>
        <Button
          kind="chipButton"
          aria-label={`${name} ${any}`}
          aria-haspopup="dialog"
          aria-controls={id}
          onClick={open}
          data-page-search
        >
          <span className="third">{name}</span> {any}
        </Button>
      </span>
      <form ref={form} id={id} popover="auto" className={styles.form} aria-label={name} onSubmit={submit}>
        <input
          name="text"
          className={styles.input}
          aria-label={hint}
          placeholder={hint}
          defaultValue={value}
          required
        />
        <Button submit>{ui.addFilter}</Button>
      </form>
    </>
  );
}

/** Filters in a line, which wraps. */
export const FilterBar = ({ children, className }: { children: ReactNode; className?: string | undefined }) => (
  <div className={classes(styles.bar, className)}>{children}</div>
);
