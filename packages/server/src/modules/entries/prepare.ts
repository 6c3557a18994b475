import { sameJsonInSteps } from '@mem-service/contract';
import type { Services } from '../../kernel/index.ts';
import { inTurns } from '../../turns.ts';
import type { CommitWriteInput } from './check-write.ts';
import { sameJson } from './rules/diff.ts';
import type { EntryDraft } from './rules/next.ts';
import { newScanBudget, type SecretsInEntry, secretsInEntry, secretsInSteps } from './rules/secrets.ts';

/** Shorter values are checked within the transaction. */
const LARGE_CHARS = 64 * 1024;

/** What was found in each of the writes of an operation, before its transaction began. */
export type PreparedWrites = { secrets: readonly (SecretsInEntry | undefined)[] };

/** Searches large values for secrets, in turns with other requests. */
export function prepareWrites(
  { settings }: Services,
  writes: readonly CommitWriteInput[],
): Promise<PreparedWrites> | undefined {
  if (settings.secrets === 'off') return undefined;
  let chars = 0;
  for (const { value } of writes) chars += value.text.length;
  return chars < LARGE_CHARS ? undefined : inTurns(secretsInSteps(writes)).then((secrets) => ({ secrets }));
}

/** What looks like a secret in the nth write of an operation. */
export type SecretSearch = (write: CommitWriteInput, n: number) => SecretsInEntry | undefined;

export function secretSearch({ settings }: Services, prepared: unknown): SecretSearch {
  if (settings.secrets === 'off') return () => undefined;
  const known = (prepared as PreparedWrites | undefined)?.secrets;
  if (known) return (_, n) => known[n];
  const budget = newScanBudget();
  return ({ key, value }) => secretsInEntry(key, value.text, budget);
}

/** Smaller values are compared when they are applied. */
export const isLargeValue = (value: string | undefined): boolean => value !== undefined && value.length >= LARGE_CHARS;

/** Compares the value of a draft with the one before, in turns with other requests. */
export async function compareValue(draft: EntryDraft, before: string): Promise<void> {
  const { value = '' } = draft;
  const same = await inTurns(sameJsonInSteps(before, value));
  draft.compared = (a, b) => (a === before && b === value ? same : sameJson(a, b));
}
