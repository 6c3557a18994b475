import type { SecretPattern, TextRange } from './redact-pattern-parts.ts';
import { secretPatterns } from './redact-patterns.ts';

/** A part of a text that must not be stored. `rank` is the position of its pattern in the table. */
export type FoundSecret = TextRange & { rank: number };

/** Returns the secrets of a text in order, in linear time. */
export function findSecrets(text: string): FoundSecret[] {
  const secrets: FoundSecret[] = [];
  for (let rank = 0; rank < secretPatterns.length; rank++) findByPattern(text, rank, secrets);
  return mergeOverlapping(secrets);
}

/** The same, with a yield after each pattern. */
export function* findSecretsInSteps(text: string): Generator<void, FoundSecret[]> {
  const secrets: FoundSecret[] = [];
  for (let rank = 0; rank < secretPatterns.length; rank++) {
    findByPattern(text, rank, secrets);
    yield;
  }
  return mergeOverlapping(secrets);
}

function findByPattern(text: string, rank: number, secrets: FoundSecret[]): void {
  const row = secretPatterns[rank] as SecretPattern;
  const { pattern } = row;
  pattern.lastIndex = 0;
  // `matchAll` copies the pattern, which costs more than most scans.
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    for (const { start, end } of secretsOf(row, match)) {
      secrets.push({ start, end, rank });
      // Continues after the secret.
      if (end > pattern.lastIndex) pattern.lastIndex = end;
    }
  }
}

const NONE: readonly TextRange[] = [];

function secretsOf({ check, locate }: SecretPattern, match: RegExpExecArray): readonly TextRange[] {
  if (locate) return locate(match);
  const secret = match.at(-1) ?? '';
  if (check && !check(secret, match)) return NONE;
  const end = match.index + match[0].length;
  return [{ start: end - secret.length, end }];
}

/** Merges overlapping secrets, named by the pattern that comes first in the table. */
function mergeOverlapping(secrets: FoundSecret[]): FoundSecret[] {
  secrets.sort((a, b) => a.start - b.start);
  const merged: FoundSecret[] = [];
  for (const secret of secrets) {
    const last = merged.at(-1);
    if (last === undefined || secret.start >= last.end) merged.push(secret);
    else {
      last.end = Math.max(last.end, secret.end);
      last.rank = Math.min(last.rank, secret.rank);
    }
  }
  return merged;
}
