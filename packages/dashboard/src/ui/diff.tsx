import { useMemo } from 'react';
import { ui } from '../texts/ui.ts';
import { classes } from './classes.ts';
import styles from './code.module.css';
import { colored } from './code.tsx';
import { type DiffLine, diffLines } from './diff-lines.ts';

/** JSON in a form that compares well; texts as they are. */
export const comparable = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;

/** Two texts, line by line. */
export function Diff({ label, before, after }: { label: string; before: string; after: string }) {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  if (lines === undefined) return <p className="third">{ui.diff.tooLong}</p>;
  if (before === after) return <p className="third">{ui.diff.same}</p>;
  return (
    <div className={styles.code}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys. */}
      <figure className={styles.text} tabIndex={0} aria-label={label}>
        <pre>
          {lines.map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name.
            <Line key={i} line={line} />
          ))}
        </pre>
      </figure>
    </div>
  );
}

function Line({ line: { kind, text, before, after } }: { line: DiffLine }) {
  return (
    <span className={classes(styles.lineOf, kind !== 'same' && styles[kind])}>
      <span className={styles.no}>{after ?? before}</span>
      <span className={styles.sign}>{SIGNS[kind]}</span>
      {kind !== 'same' && <span className="unseen">{ui.diff[kind]}: </span>}
      {colored(text)}
      {'\n'}
    </span>
  );
}
