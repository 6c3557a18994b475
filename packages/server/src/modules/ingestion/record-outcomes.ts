import type { Work } from '../../kernel/index.ts';
import type { Linked } from './link-results.ts';

export async function recordOutcomes(_work: Work, _linked: readonly Linked[]): Promise<void> {}
