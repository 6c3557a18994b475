import { type ReactNode, useMemo, useState } from 'react';
import { number } from '../texts/format.ts';
import { ui } from '../texts/ui.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './code.module.css';
import { countShown, tokensOf } from './code-lines.ts';
import { CopyButton } from './copy-button.tsx';

type CodeProps = { label: string; text: string; numbered?: boolean; wrap?: boolean; copy?: boolean; json?: boolean };

/** Code or any other text as it is. It may be scrolled sideways, and then be focused. */
export function Code({ label, text, numbered = false, wrap = false, copy = false, json = false }: CodeProps) {
  const lines = useMemo(() => text.split('\n'), [text]);
  const [steps, setSteps] = useState(1);
  const count = useMemo(() => countShown(lines, steps), [lines, steps]);
  return (
    <div className={classes(styles.code, wrap && styles.wrap, !numbered && styles.plain, copy && styles.copied)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys. */}
      <figure className={styles.text} tabIndex={0} aria-label={label}>
        <pre>
          {lines.slice(0, count).map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name.
            <span key={i} className={styles.lineOf}>
              {numbered && <span className={styles.no}>{i + 1}</span>}
              {json ? colored(line) : line}
              {'\n'}
            </span>
          ))}
        </pre>
      </figure>
      <MoreLines shown={count} all={lines.length} onMore={() => setSteps(steps + 1)} />
      {copy && (
        <span className={styles.copy}>
          <CopyButton text={text} />
        </span>
      )}
    </div>
  );
}

const STYLES = { name: styles.name, string: styles.string, number: styles.number } as const;

/** A line of JSON with its names, texts and numbers told apart. */
export function colored(line: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const { at, text, kind } of tokensOf(line)) {
    parts.push(
      line.slice(end, at),
      <span key={at} className={STYLES[kind]}>
        {text}
      </span>,
    );
    end = at + text.length;
  }
  parts.push(line.slice(end));
  return parts;
}

/** Below lines of which only the first are shown. */
export function MoreLines({ shown, all, onMore }: { shown: number; all: number; onMore: () => void }) {
  if (shown >= all) return null;
  return (
    <div className={styles.more}>
      <span className="third small">{ui.linesOf(number(shown), number(all))}</span>{' '}
      <Button kind="quiet" onClick={onMore}>
        {ui.showMore}
      </Button>
    </div>
  );
}
