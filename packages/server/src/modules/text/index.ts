import type { Module } from '../../kernel/index.ts';

import { migrations } from './migrations.ts';
import { wordsOfEntries } from './projection.ts';
import { tidyIndex } from './queries.ts';
import { startIndexer } from './start.ts';
import { wordIndexes } from './tables.ts';

export { withSoundWords } from './indexer.ts';
export { rowidOf, rowidsOf } from './indexing.ts';
export * from './match-syntax.ts';
export * from './matching.ts';
export { countInOverlay } from './matching-overlay.ts';
export { mergeWords } from './merge-words.ts';
export { type FoundMatch, findNewest, matchingRows, newestOf, type SeqWindow, WORD_BLOCKS } from './newest-matches.ts';
export { type Overlay, readOverlay } from './overlay.ts';
export { readPlacedTexts } from './queries.ts';
export { parseQuery, type Term } from './rules/query.ts';
export { type CountedText, countTerms, rankTexts, termCounter } from './rules/rank.ts';
export { type IndexState, readIndexState, wordsOfDocument, wordsOfParsed } from './tail.ts';
export { everyTermExpression, indexedForm, indexedWords, wordsOfValuesInSteps } from './texts.ts';

export const text: Module = {
  name: 'text',
  migrations,
  wordIndexes,
  projections: [wordsOfEntries],
  handlers: {},
  starts: startIndexer,
  maintenance: [
    {
      name: 'text.tidy_index',
      every_seconds: 3600,
      after: { event_types: ['write'], delay_seconds: 2 },
      only_on: 'postgres',
      run: ({ services: { database } }) => database.maintain(tidyIndex),
    },
  ],
};
