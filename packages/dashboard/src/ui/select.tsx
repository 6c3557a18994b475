import type { Choice, FieldIds } from './choices.tsx';
import styles from './controls.module.css';

type SelectProps<T extends string> = Partial<FieldIds> & {
  /** Read out where no label is beside it. */
  label?: string;
  hint?: string;
  value: T;
  choices: readonly Choice<T>[];
  onChange: (value: T) => void;
};

/** One of several, as the system shows it. Within a field: `<Select {...field} … />`. */
export function Select<T extends string>({ label, hint, value, choices, onChange, ...field }: SelectProps<T>) {
  return (
    <select
      className={styles.input}
      {...field}
      aria-label={label}
      title={hint}
      value={value}
      onChange={({ target }) => {
        const chosen = choices.find((choice) => choice.value === target.value);
        if (chosen) onChange(chosen.value);
      }}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}
