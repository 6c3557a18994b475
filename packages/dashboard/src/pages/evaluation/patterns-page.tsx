import type { PageProps } from '../../pages.ts';
import { PatternList } from './pattern-list.tsx';
import { PatternPage } from './pattern-page.tsx';

/** `#/patterns` lists them, `#/patterns/ID` shows one. */
export const PatternsPage = ({ rest }: PageProps) =>
  rest === '' ? <PatternList /> : <PatternPage key={rest} patternId={rest} />;
