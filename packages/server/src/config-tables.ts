import { readFileSync } from 'node:fs';
import * as z from 'zod';

const perMillion = z.number().min(0);
const priceTable = z.record(
  z.string().min(1),
  z.strictObject({
    input_per_1m: perMillion,
    output_per_1m: perMillion,
    cached_input_per_1m: perMillion.optional(),
  }),
);

const datedTable = z.looseObject({ models: priceTable }).transform(({ models }) => models);

const most = (max: number) => z.int().min(0).max(max).nullable();
const rate = z.int().min(1).max(1_000_000_000).nullable().optional();
const amount = most(Number.MAX_SAFE_INTEGER).optional();
const planTable = z.record(
  z.string().min(1).max(64),
  z.strictObject({
    ops_per_month: most(Number.MAX_SAFE_INTEGER / 100),
    key_rate_rpm: rate,
    rate_rpm: rate,
    storage_bytes: amount,
    storage_entries: amount,
    open_sessions: amount,
    open_streams: amount,
  }),
);

/** The value is the path of a file, or the table itself. */
const tableReader =
  <T>(schema: z.ZodType<T>, what: string) =>
  (given: string, ctx: z.RefinementCtx): T => {
    try {
      const known: unknown = JSON.parse(given.trimStart().startsWith('{') ? given : readFileSync(given, 'utf8'));
      const parsed = schema.safeParse(known);
      if (parsed.success) return parsed.data;
      throw new Error(z.prettifyError(parsed.error).replaceAll('\n', ' '));
    } catch (error) {
      ctx.addIssue({ code: 'custom', message: `is not a ${what}: ${(error as Error).message}` });
      return z.NEVER;
    }
  };

// Either a bare table, or one in the form of the built-in table, with its date and currency.
export const readPrices = tableReader(z.union([priceTable, datedTable]), 'price table');
export const readPlans = tableReader(planTable, 'table of plans');
