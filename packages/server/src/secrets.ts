import { newScanBudget, secretsInEntry } from './modules/entries/rules/secrets.ts';

/** Whether a value, or a text without a key, looks like a secret to the detector that checks writes. */
export const looksLikeSecret = (value: unknown, key = ''): boolean =>
  secretsInEntry(key, JSON.stringify(value) ?? '', newScanBudget()) !== undefined;
