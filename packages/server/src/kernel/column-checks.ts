import { isDeepStrictEqual } from 'node:util';
import * as contract from '@mem-service/contract';
import * as z from 'zod';
import type { Insert, SqlValue } from '../db/index.ts';
import { branchName, flag, notNegative, oneOf, share, time } from './column-values.ts';
import { namedCheck } from './named-columns.ts';

/**
 * What a column may hold in an export: a schema of the contract, or a function that describes what is wrong. Of a column that
 * holds JSON both are given the document.
 */
export type ColumnRule = z.ZodType | (((value: unknown) => string | undefined) & { isLong?: true });

/** Describes what is wrong with a value that is not null, and where. */
export type ColumnCheck = (value: SqlValue) => string | undefined;

/** Of something flat, which is checked fast however long it is. */
const long = (schema: z.ZodType): ColumnRule =>
  Object.assign((value: unknown) => problemOf(schema, value), { isLong: true as const });

/** As a branch stores what it shows besides its own writes. */
const branchSpans = long(
  z.array(z.strictObject({ branch: z.string(), up_to_seq: z.int().nullable(), is_kept: z.literal(true).optional() })),
);

/** What the rules of a table are made of. A packed server contains its own copy of the contract, so that they are handed it. */
/** Only these: a bundle would have all of zod with its languages. */
const forms = {
  ...{ array: z.array, enum: z.enum, int: z.int, strictObject: z.strictObject },
  ...{ string: z.string, tuple: z.tuple, union: z.union },
};
const ownParts = { z: forms, share, flag, notNegative, time, oneOf, branchName, branchSpans, long, problemOf };
type ColumnParts = typeof contract & typeof ownParts;
const parts: ColumnParts = { ...contract, ...ownParts };

export type ColumnRules = (from: ColumnParts) => Readonly<Record<string, ColumnRule>>;

/** As long as a definition may be. A longer document is refused before it is parsed: others wait while one is checked. */
const MAX_DOCUMENT_CHARS = 65_536;

type TableToCheck = {
  columns: Insert['columns'];
  json: readonly string[];
  agents: Readonly<Record<string, unknown>>;
  rules: ColumnRules;
};

/** The checks of a table by column: what its name says, and what the table does. */
export function columnChecks({ columns, json, agents, rules }: TableToCheck): Readonly<Record<string, ColumnCheck>> {
  const own = rules(parts);
  const checks = Object.entries(columns).flatMap(([name, type]) => {
    const rule = own[name];
    const byName = namedCheck(name, type === 'text' && name in agents);
    const byRule = rule && (json.includes(name) ? documentCheck(name, rule) : valueCheck(name, rule));
    if (!byName && !byRule) return [];
    const check: ColumnCheck = (value) => {
      const problem = byName?.(value);
      return problem === undefined ? byRule?.(value) : `${name} ${problem}`;
    };
    return [[name, check] as const];
  });
  return Object.fromEntries(checks);
}

const valueCheck =
  (name: string, rule: ColumnRule): ColumnCheck =>
  (value) => {
    const problem = typeof rule === 'function' ? rule(value) : problemOf(rule, value);
    return problem && `${name} ${problem.replace(/^: /, '')}`;
  };

const documentCheck =
  (name: string, rule: ColumnRule): ColumnCheck =>
  (text) => {
    const { length } = String(text);
    if (length > MAX_DOCUMENT_CHARS && !('isLong' in rule))
      return `${name} has ${length} characters, more than ${MAX_DOCUMENT_CHARS}`;
    const document: unknown = JSON.parse(String(text));
    const problem = typeof rule === 'function' ? rule(document) : problemOf(rule, document);
    return problem && `${name}${/^[.:]/.test(problem) ? '' : ': '}${problem}`;
  };

/** What is wrong by a schema, after the place within a document. */
function problemOf(schema: z.ZodType, value: unknown): string | undefined {
  const parsed = schema.safeParse(value);
  // What is stored has its defaults, and names in their normal form.
  if (parsed.success)
    return isDeepStrictEqual(parsed.data, value) ? undefined : ': must be as it is stored, with all that it takes';
  const [issue] = schema.safeParse(value, { error: contract.plainIssue }).error?.issues ?? [];
  return [...(issue?.path ?? []).map((part) => `.${String(part)}`), `: ${issue?.message}`].join('');
}
