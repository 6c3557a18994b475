import { isTerminal, paint, type Screen, show } from './text.ts';

const GOOD: readonly string[] = ['success', 'clean_deploy'];

export const isGood = (type: string): boolean => GOOD.includes(type);

export const wordsOf = (type: unknown): string => show(type).replaceAll('_', ' ');

/** How it ended at a glance, where letters alone arrive too. */
export function mark(isGood: boolean | null, screen: Screen): string {
  const [good, bad, open] = isTerminal(screen) ? ['✓', '✗', '·'] : ['+', 'x', '-'];
  if (isGood === null) return paint(screen, 'dim', open);
  return isGood ? paint(screen, 'green', good) : paint(screen, 'red', bad);
}

export const outcomeMark = (type: string | null, screen: Screen): string =>
  mark(type === null ? null : isGood(type), screen);

export const outcomeName = (type: unknown, screen: Screen): string =>
  paint(screen, isGood(String(type)) ? 'green' : 'red', wordsOf(type));

/** Which one, and how it ended: mark, reference, type. */
export const outcomeText = (ref: string | null, type: string | null, screen: Screen): string =>
  ref === null && type === null
    ? 'no outcome'
    : [outcomeMark(type, screen), show(ref), type === null ? '' : `(${outcomeName(type, screen)})`]
        .filter(Boolean)
        .join(' ');

/** Of a failure also how bad it was; of a success there is one kind. */
export const refText = (ref: string | null, type: string | null): string =>
  [show(ref), type === null || isGood(type) ? '' : `(${wordsOf(type)})`].filter(Boolean).join(' ');
