import type { DigestType } from './rules/cited.ts';
import type { DigestLists } from './rules/lists.ts';

/** What a digest was compiled to: entries, and outcomes with the entries of the scope that led to each, newest first. */
export type DigestParts = DigestLists & {
  outcomes: readonly (readonly [seq: number, entries: readonly number[]])[];
};

export type DigestKey = { branch: string; digest_type: DigestType; scope: string };

/** A digest as it is stored. `seq` is the place in the log that it was compiled at. */
export type DigestRow = DigestKey & {
  account_id: string;
  seq: number;
  compiled_at: number;
  /** How many entries, edges or successes it was compiled from. */
  entry_count: number;
  /** 0: there is too little yet to show it. */
  is_shown: number;
  /** JSON of `DigestParts`. */
  parts: string;
};

export const NO_PARTS: DigestParts = { shown: [], reserve: [], outcomes: [] };

export const partsOf = ({ parts }: Pick<DigestRow, 'parts'>): DigestParts => JSON.parse(parts) as DigestParts;

export const digestName = ({ branch, digest_type, scope }: DigestKey): string => `${branch}\n${digest_type}\n${scope}`;
