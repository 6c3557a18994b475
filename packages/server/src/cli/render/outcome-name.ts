import { isTerminal, paint, type Screen, show } from './text.ts';

const GOOD: readonly string[] = ['success', 'clean_deploy'];

export const isGood = (type: string): boolean => GOOD.includes(type);

export const wordsOf = (type: unknown): string => show(type).replaceAll('_', ' ');

/** Success or failure at a glance, in plain ASCII outside a terminal. */
export function mark(isGood: boolean | null, screen: Screen): string {
  const [good, bad, open] = isTerminal(screen) ? ['✓', '✗', '·'] : ['+', 'x', '-'];
  if (isGood === null) return paint(screen, 'dim', open);
  return isGood ? paint(screen, 'green', good) : paint(screen, 'red', bad);
}

export const outcomeMark = (type: string | null, screen: Screen): string =>
  mark(type === null ? null : isGood(type), screen);

export const outcomeName = (type: unknown, screen: Screen): string =>
  paint(screen, isGood(String(type)) ? 'green' : 'red', wordsOf(type));

/** An outcome's mark, reference and type. */
export const outcomeText = (ref: string | null, type: string | null, screen: Screen): string =>
  ref === null && type === null
    ? 'no outcome'
    : [outcomeMark(type, screen), show(ref), type === null ? '' : `(${outcomeName(type, screen)})`]
        .filter(Boolean)
        .join(' ');

/** Adds the severity of a failure. */
export const refText = (ref: string | null, type: string | null): string =>
  [show(ref), type === null || isGood(type) ? '' : `(${wordsOf(type)})`].filter(Boolean).join(' ');
