import { useMemo, useState } from 'react';
import { number } from '../texts/format.ts';
import { ui } from '../texts/ui.ts';
import { classes } from './classes.ts';
import styles from './code.module.css';
import { colored, MoreLines } from './code.tsx';
import { countShown, type ShownDiffLine, withoutStretches } from './code-lines.ts';
import { diffLines } from './diff-lines.ts';

const SHORT_CHARS = 60;
const PLAIN_LIST = /\[\n\s*([^[\]{}]*?)\n\s*\]/g;

/** JSON in a form that compares well, short lists of plain values in one line; texts as they are. */
export function comparable(value: unknown): string {
  if (typeof value === 'string') return value;
  const text = JSON.stringify(value, null, 2) ?? '';
  return text.replace(PLAIN_LIST, (whole, items: string) => {
    const line = `[${items.replace(/\n\s*/g, ' ')}]`;
    return line.length <= SHORT_CHARS ? line : whole;
  });
}

const withoutComma = (line: string) => line.replace(/,$/, '');
const SIGNS = { same: ' ', added: '+', removed: '-' } as const;

type DiffProps = {
  label: string;
  before: string;
  after: string /** A comma at the end of a line is no change. */;
  json?: boolean;
};

/** Two texts, line by line. */
export function Diff({ label, before, after, json = false }: DiffProps) {
  const lines = useMemo(() => {
    const all = diffLines(before, after, json ? withoutComma : undefined);
    return all && withoutStretches(all);
  }, [before, after, json]);
  const [steps, setSteps] = useState(1);
  const count = useMemo(() => countShown(lines?.map(({ text }) => text) ?? [], steps), [lines, steps]);
  if (lines === undefined) return <p className="third">{ui.diff.tooLong}</p>;
  if (before === after) return <p className="third">{ui.diff.same}</p>;
  return (
    <div className={styles.code}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with keys. */}
      <figure className={styles.text} tabIndex={0} aria-label={label}>
        <pre>
          {lines.slice(0, count).map((line, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name.
            <Line key={i} line={line} />
          ))}
        </pre>
      </figure>
      <MoreLines shown={count} all={lines.length} onMore={() => setSteps(steps + 1)} />
    </div>
  );
}

function Line({ line }: { line: ShownDiffLine }) {
  if (line.kind === 'skipped')
    return (
      <span className={classes(styles.lineOf, styles.skipped)}>
        {ui.diff.skipped(number(line.count))}
        {'\n'}
      </span>
    );
  const { kind, text, before, after } = line;
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
