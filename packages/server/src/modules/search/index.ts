import type { Module } from '../../kernel/index.ts';
import { handlers } from './handlers.ts';

export { byFilter, candidatesOf, fetchIn, type SearchInput } from './handlers.ts';
export { findByWords, type WordHits } from './offers.ts';
export type { FoundRow } from './queries.ts';

export const search: Module = { name: 'search', migrations: [], handlers };
