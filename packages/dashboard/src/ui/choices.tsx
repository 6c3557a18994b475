import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { number } from '../texts/format.ts';
import { ui } from '../texts/ui.ts';
import { classes } from './classes.ts';
import styles from './controls.module.css';
import { Icon } from './icons.tsx';
import { useChosenInView } from './use-chosen-in-view.ts';

export type Choice<T extends string> = { value: T; label: string };

/** A few choices of which one holds. */
export function Segmented<T extends string>(props: {
  label: string;
  value: T;
  choices: readonly Choice<T>[];
  onChange: (value: T) => void;
}) {
  const { label, value, choices, onChange } = props;
  return (
    <fieldset className={styles.segmented} aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          className={styles.segment}
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}

export type Tab<T extends string> = { value: T; label: string; count?: number | undefined };

/** Parts of a page of which one is shown; wrap that in `TabPanel`. */
export function Tabs<T extends string>(props: {
  label: string;
  value: T;
  tabs: readonly Tab<T>[];
  onChange: (value: T) => void;
  id?: string;
}) {
  const { label, value, tabs, onChange, id = 'tabs' } = props;
  const line = useChosenInView<HTMLDivElement>(value);
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.value === value);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    onChange(next.value);
    document.getElementById(`${id}-${next.value}`)?.focus();
  };
  return (
    <div ref={line} className={styles.tabs} role="tablist" aria-label={label}>
      {tabs.map((tab) => (
        <button
          key={tab.value}
          id={`${id}-${tab.value}`}
          type="button"
          role="tab"
          className={styles.tab}
          aria-selected={tab.value === value}
          aria-controls={tab.value === value ? `${id}-panel` : undefined}
          tabIndex={tab.value === value ? 0 : -1}
          onClick={() => onChange(tab.value)}
          onKeyDown={move}
        >
          {tab.label}
          {tab.count !== undefined && <span className={styles.count}>{number(tab.count)}</span>}
        </button>
      ))}
    </div>
  );
}

export function TabPanel({ id = 'tabs', value, children }: { id?: string; value: string; children: ReactNode }) {
  return (
    <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`}>
      {children}
    </div>
  );
}

/** A filter that holds: its name in grey, its value dark, and a cross that removes it. */
export function Chip({
  name,
  children,
  onRemove,
  onClick,
  onEdit,
}: {
  name?: string;
  children: ReactNode;
  onRemove?: () => void;
  onClick?: () => void;
  /** Beside the cross: its text changes it. */
  onEdit?: () => void;
}) {
  const inner = (
    <>
      {name && <span className={styles.chipName}>{name}</span>}
      {children}
    </>
  );
  if (onClick && !onRemove) {
    return (
      <button type="button" className={styles.chip} onClick={onClick}>
        {inner}
      </button>
    );
  }
  return (
    <span className={styles.chip}>
      {onEdit ? (
        <button type="button" className={styles.chipText} onClick={onEdit}>
          {inner}
        </button>
      ) : (
        inner
      )}
      {onRemove && (
        <button
          type="button"
          className={styles.chipClose}
          aria-label={ui.remove(`${name ?? ''} ${children}`.trim())}
          onClick={onRemove}
        >
          <Icon name="close" />
        </button>
      )}
    </span>
  );
}

type FieldProps = {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  children: (props: FieldIds) => ReactNode;
};
export type FieldIds = {
  id: string;
  className: string | undefined;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
};

/** A labelled field: `<Field label="Key">{(field) => <input {...field} />}</Field>`. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const note = `${id}-note`;
  const field: FieldIds = { id, className: styles.input };
  if (hint !== undefined || error !== undefined) field['aria-describedby'] = note;
  if (error !== undefined) field['aria-invalid'] = true;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children(field)}
      {(error ?? hint) !== undefined && (
        <div id={note} className={classes(error === undefined ? styles.hint : styles.fieldError)}>
          {error ?? hint}
        </div>
      )}
    </div>
  );
}
