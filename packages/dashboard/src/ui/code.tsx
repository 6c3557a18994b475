import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './code.module.css';
import { CopyButton } from './copy-button.tsx';

type CodeProps = { label: string; text: string; numbered?: boolean; wrap?: boolean; copy?: boolean; json?: boolean };

/** Code or any other text as it is. It may be scrolled sideways, and then be focused. */
export function Code({ label, text, numbered = false, wrap = false, copy = false, json = false }: CodeProps) {
  const lines = text.split('\n');
  return (
    <div className={classes(styles.code, wrap && styles.wrap, !numbered && styles.plain, copy && styles.copied)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys. */}
      <figure className={styles.text} tabIndex={0} aria-label={label}>
        <pre>
          {lines.map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name.
            <span key={i} className={styles.lineOf}>
              {numbered && <span className={styles.no}>{i + 1}</span>}
              {json ? colored(line) : line}
              {'\n'}
            </span>
          ))}
        </pre>
      </figure>
      {copy && (
        <span className={styles.copy}>
          <CopyButton text={text} />
        </span>
      )}
    </div>
  );
}

const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/g;

/** A line of JSON with its names, texts and numbers told apart. */
export function colored(line: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of line.matchAll(TOKENS)) {
    const [whole, text, colon, other] = match;
    parts.push(line.slice(end, match.index));
    const kind = other !== undefined ? styles.number : colon === undefined ? styles.string : styles.name;
    parts.push(
      <span key={match.index} className={kind}>
        {text ?? other}
      </span>,
      colon ?? '',
    );
    end = match.index + whole.length;
  }
  parts.push(line.slice(end));
  return parts;
}
