import type { LedgerOfVersion } from '../../attribution/index.ts';
import { speakAgainst } from './words.ts';

/** A version before the one that is to blame. */
export type EarlierVersion = {
  version: number;
  /** It was a deletion, has expired, or the caller may not see it. */
  isGone: boolean;
  content_hash: string;
  /** It is read by failing runs more often than chance explains. */
  isSuspect: boolean;
  ledger: LedgerOfVersion;
};

/** The last of these that nothing speaks against, and that says something else than what is to blame. */
export function lastGood<T extends EarlierVersion>(earlier: readonly T[], blamedHash: string): T | undefined {
  return earlier
    .toSorted((one, other) => other.version - one.version)
    .find(
      ({ isGone, isSuspect, content_hash, ledger }) =>
        !isGone && !isSuspect && content_hash !== blamedHash && !speakAgainst(ledger),
    );
}
