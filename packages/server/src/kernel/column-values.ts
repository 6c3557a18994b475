import { branchNameProblem } from '@mem-service/contract';
import type { z } from 'zod';

export const asStored =
  (schema: z.ZodType, what: string) =>
  (value: unknown): string | undefined => {
    const parsed = schema.safeParse(value);
    return parsed.success && parsed.data === value ? undefined : `must be ${what}`;
  };

/** Names are stored in Unicode NFC. */
export const named =
  (problem: (text: string) => string | undefined) =>
  (value: unknown): string | undefined =>
    problem(String(value)) ?? (String(value).normalize('NFC') === value ? undefined : 'must be in Unicode NFC');

export const oneOf = (known: readonly string[]) => {
  const names = new Set(known);
  return (value: unknown): string | undefined =>
    names.has(String(value)) ? undefined : `must be one of ${known.join(', ')}`;
};

export const share = (value: unknown): string | undefined =>
  Number(value) >= 0 && Number(value) <= 1 ? undefined : 'must be a number from 0 to 1';
export const flag = (value: unknown): string | undefined => (value === 0 || value === 1 ? undefined : 'must be 0 or 1');
export const notNegative = (value: unknown): string | undefined =>
  Number(value) >= 0 ? undefined : 'must not be negative';

/** The years that ISO 8601 writes with four digits. */
const [EARLIEST, LATEST] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];
export const time = (value: unknown): string | undefined =>
  Number(value) >= EARLIEST && Number(value) <= LATEST ? undefined : 'must be a time in milliseconds since 1970';

export const branchName = named((text) => (text === 'main' ? undefined : branchNameProblem(text)));
