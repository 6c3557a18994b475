import { useBranchRefresh } from '../../data/use-branch-refresh.ts';
import type { PageProps } from '../../pages.ts';
import { PATTERN_ANSWERS, PATTERN_EVENTS } from './pattern-data.ts';
import { PatternList } from './pattern-list.tsx';
import { PatternPage } from './pattern-page.tsx';

/** `#/patterns` lists them, `#/patterns/ID` shows one. */
export function PatternsPage({ rest }: PageProps) {
  useBranchRefresh(PATTERN_EVENTS, PATTERN_ANSWERS);
  return rest === '' ? <PatternList /> : <PatternPage key={rest} patternId={rest} />;
}
