import { classes } from './classes.ts';
import styles from './controls.module.css';

type SearchFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onEnter?: () => void;
  className?: string | undefined;
};

/** The filter or search of a page: `/` finds it. */
export function SearchField({ label, value, onChange, onEnter, className }: SearchFieldProps) {
  return (
    <input
      type="search"
      className={classes(styles.input, styles.search, className)}
      aria-label={label}
      placeholder={label}
      autoComplete="off"
      spellCheck={false}
      data-page-search
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onEnter?.();
        if (event.key === 'Escape' && value === '') event.currentTarget.blur();
      }}
    />
  );
}
