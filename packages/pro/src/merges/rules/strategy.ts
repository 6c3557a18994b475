import type { Side } from './json.ts';

export type MergeStrategy = 'FAST_FORWARD' | 'THREE_WAY' | 'BRANCH_WINS' | 'MAIN_WINS' | 'MANUAL' | 'SQUASH';

/** The side that a strategy prefers where both changed something. */
export const preferredBy = (strategy: MergeStrategy): Side | undefined =>
  strategy === 'BRANCH_WINS' ? 'source' : strategy === 'MAIN_WINS' ? 'target' : undefined;
