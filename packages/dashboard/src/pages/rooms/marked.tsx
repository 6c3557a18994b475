import { Fragment, useMemo } from 'react';
import { marked, stemsOf } from '../search/highlight.ts';

/** A text in which the words that were asked for are marked. */
export function Marked({ text, words }: { text: string; words: string }) {
  const parts = useMemo(() => marked(text, stemsOf(words)), [text, words]);
  return parts.map((part, i) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name.
    part.isHit ? <mark key={i}>{part.text}</mark> : <Fragment key={i}>{part.text}</Fragment>,
  );
}
