import { type ReactNode, useId, useState } from 'react';
import { ui } from '../texts/ui.ts';
import { Chip } from './choices.tsx';
import styles from './controls.module.css';
import { Menu } from './menu.tsx';

/** A filter as the address has it: always a text, empty where it does not hold. */
export type FilterField = {
  id: string;
  /** In small letters; it stands before the value. */
  label: string;
  /** In the menu, where the label alone does not tell it from another. */
  menu?: string;
  type: 'choice' | 'text' | 'number' | 'date';
  choices?: readonly string[];
  /** As it is shown, where that differs. */
  shown?: (value: string) => string;
  suggestions?: readonly string[];
};

type FilterBarProps = {
  fields: readonly FilterField[];
  values: Readonly<Record<string, string>>;
  onChange: (id: string, value: string) => void;
  onClear: () => void;
  children?: ReactNode;
};

/** The filters that hold, as chips, and a menu for more. A click on a chip changes it. */
export function FilterBar({ fields, values, onChange, onClear, children }: FilterBarProps) {
  const [editing, setEditing] = useState<string>();
  const set = fields.filter(({ id }) => (values[id] ?? '') !== '');
  const open = fields.filter(({ id }) => (values[id] ?? '') === '' && id !== editing);
  const items = open.map(({ id, label, menu }) => ({ id, label: menu ?? label, onSelect: () => setEditing(id) }));
  const done = (id: string, value: string) => {
    setEditing(undefined);
    if (value !== (values[id] ?? '')) onChange(id, value);
  };
  const edited = fields.find(({ id }) => id === editing);
  return (
    <div className={styles.filters}>
      {set.map(({ id, label, shown }) =>
        id === editing ? null : (
          <Chip key={id} name={label} onEdit={() => setEditing(id)} onRemove={() => onChange(id, '')}>
            {shown ? shown(values[id] ?? '') : values[id]}
          </Chip>
        ),
      )}
      {edited && (
        <FilterInput
          key={edited.id}
          field={edited}
          value={values[edited.id] ?? ''}
          onDone={(value) => done(edited.id, value)}
        />
      )}
      {items.length > 0 && (
        <Menu
          label={ui.addFilter}
          kind="quiet"
          icon="filter"
          className={styles.addFilter}
          items={items}
          data-page-search
        >
          {ui.addFilter}
        </Menu>
      )}
      {set.length > 1 && (
        <Chip onClick={onClear}>
          <span className="second">{ui.clearFilters}</span>
        </Chip>
      )}
      <span className="grow" />
      {children}
    </div>
  );
}

type FilterInputProps = { field: FilterField; value: string; onDone: (value: string) => void };

function FilterInput({ field: { label, type, choices = [], suggestions, shown }, value, onDone }: FilterInputProps) {
  const id = useId();
  const [text, setText] = useState(value);
  // Somebody has just asked for this field.
  const common = { autoFocus: true, id, className: styles.filterInput, 'aria-label': label };
  if (type === 'choice')
    return (
      <span className={styles.chip}>
        <label htmlFor={id} className={styles.chipName}>
          {label}
        </label>
        <select
          {...common}
          value={value}
          onChange={(event) => onDone(event.target.value)}
          onBlur={() => onDone(value)}
          onKeyDown={(event) => event.key === 'Escape' && onDone(value)}
        >
          <option value="">{ui.any}</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {shown ? shown(choice) : choice}
            </option>
          ))}
        </select>
      </span>
    );
  return (
    <span className={styles.chip}>
      <label htmlFor={id} className={styles.chipName}>
        {label}
      </label>
      <input
        {...common}
        type={type}
        {...(type === 'number' ? { min: 0, max: 1, step: 0.05 } : {})}
        {...(suggestions ? { list: `${id}-list` } : {})}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => onDone(text.trim())}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onDone(text.trim());
          if (event.key === 'Escape') {
            event.stopPropagation();
            onDone(value);
          }
        }}
      />
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </span>
  );
}
