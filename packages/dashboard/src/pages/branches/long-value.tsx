import { useState } from 'react';
import { branches } from '../../texts/branches.ts';
import { Button } from '../../ui/button.tsx';
import { comparable } from '../../ui/diff.tsx';
import styles from './changed.module.css';

const SHOWN = 1_200;
const ONE_LINE = 64;

/** A value in one line where it is short, else as JSON over several. */
export function shortly(value: unknown): string {
  const text = comparable(value);
  if (typeof value !== 'object' || text.length > ONE_LINE * 2) return text;
  const line = text.replace(/\n\s*/g, ' ');
  return line.length <= ONE_LINE && JSON.stringify(JSON.parse(line)) === JSON.stringify(value) ? line : text;
}

/** A value as text; of a long one the beginning, and the rest when it is asked for. */
export function LongValue({ text, most = SHOWN }: { text: string; most?: number }) {
  const [isWhole, setWhole] = useState(text.length <= most * 1.2);
  return (
    <span className={styles.value}>
      {isWhole ? text : `${text.slice(0, most)}…`}
      {!isWhole && (
        <Button kind="chipButton" onClick={() => setWhole(true)}>
          {branches.changed.whole(text.length)}
        </Button>
      )}
    </span>
  );
}
