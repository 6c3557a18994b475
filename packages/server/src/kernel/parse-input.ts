import { type FieldError, invalidInput, plainIssue, suggest } from '@mem-service/contract';
import type { z } from 'zod';
import { pause } from '../turns.ts';
import { fieldNamesAt } from './field-names.ts';
import { countItems } from './input-bounds.ts';

/** Limits the errors in the answer to a body with many invalid fields. */
const MAX_FIELD_ERRORS = 100;
/** Inputs with more items in their lists are parsed item by item, in turns with other requests. */
const MANY_ITEMS = 500;
const LONG_LIST = 32;

/** The input as its schema describes it. Returns a promise only where there is much to check. */
export function parseInput(schema: z.ZodType, raw: unknown): unknown {
  if (countItems(schema, raw) > MANY_ITEMS) return new PiecewiseParse(schema).parse(raw);
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw refusalOf(issuesOf(schema, raw), schema);
}

/** Only a refusal needs texts for people, so only then is it parsed with them. */
const issuesOf = (schema: z.ZodType, raw: unknown): readonly z.core.$ZodIssue[] =>
  schema.safeParse(raw, { error: plainIssue }).error?.issues ?? [];

const refusalOf = (issues: readonly z.core.$ZodIssue[], schema: z.ZodType) =>
  invalidInput(
    issues
      .slice(0, MAX_FIELD_ERRORS)
      .flatMap((issue) => toFieldErrors(issue, schema))
      .slice(0, MAX_FIELD_ERRORS),
  );

function toFieldErrors(issue: z.core.$ZodIssue, schema: z.ZodType): FieldError[] {
  const at = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const known = fieldNamesAt(schema, at);
    return issue.keys.slice(0, MAX_FIELD_ERRORS).map((key) => ({
      path: [...at, key].join('.'),
      message: `is not a known field${suggest(key, known)}`,
    }));
  }
  return [{ path: at.join('.'), message: issue.message }];
}

type ObjectDef = z.core.$ZodObjectDef & { checks?: readonly unknown[] };
type InputPath = readonly (string | number)[];

/** Parses field by field and item by item, with what the schema says of each; the result is the same. */
class PiecewiseParse {
  readonly #schema: z.ZodType;
  readonly #issues: z.core.$ZodIssue[] = [];

  constructor(schema: z.ZodType) {
    this.#schema = schema;
  }

  async parse(raw: unknown): Promise<unknown> {
    const parsed = await this.#value(this.#schema, raw, []);
    if (this.#issues.length > 0) throw refusalOf(this.#issues, this.#schema);
    return parsed;
  }

  async #value(schema: z.ZodType, raw: unknown, path: InputPath): Promise<unknown> {
    await pause();
    const inner = typeof raw === 'object' && raw !== null ? plainly(schema) : schema;
    const { def } = inner._zod;
    if (def.type === 'array' && Array.isArray(raw) && raw.length > LONG_LIST && !hasOwnChecks(inner))
      return this.#list((def as z.core.$ZodArrayDef).element as z.ZodType, raw, path);
    if (def.type === 'object' && isPlainObject(raw) && takesAnyFields(def as ObjectDef) && !hasOwnChecks(inner))
      return this.#object(inner, raw, path);
    return this.#whole(schema, raw, path);
  }

  #whole(schema: z.ZodType, raw: unknown, path: InputPath): unknown {
    const parsed = schema.safeParse(raw);
    if (parsed.success) return parsed.data;
    if (this.#issues.length < MAX_FIELD_ERRORS)
      for (const issue of issuesOf(schema, raw)) this.#issues.push({ ...issue, path: [...path, ...issue.path] });
    return undefined;
  }

  async #list(element: z.ZodType, raw: readonly unknown[], path: InputPath): Promise<unknown[]> {
    const items: unknown[] = [];
    for (const [i, item] of raw.entries()) {
      await pause();
      items.push(this.#whole(element, item, [...path, i]));
    }
    return items;
  }

  async #object(schema: z.ZodType, raw: Record<string, unknown>, path: InputPath): Promise<unknown> {
    const { shape, catchall } = schema._zod.def as ObjectDef;
    const parsed: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(shape)) {
      const value = await this.#value(field as z.ZodType, Object.hasOwn(raw, name) ? raw[name] : undefined, [
        ...path,
        name,
      ]);
      if (value !== undefined || Object.hasOwn(raw, name)) parsed[name] = value;
    }
    const unknown = Object.keys(raw).filter((name) => !Object.hasOwn(shape, name));
    if (catchall?._zod.def.type === 'never' && unknown.length > 0)
      this.#issues.push({ code: 'unrecognized_keys', keys: unknown, path: [...path], message: '', input: raw });
    else if (catchall) for (const name of unknown) define(parsed, name, raw[name]);
    return parsed;
  }
}

/** Without optional, default and nullable: what is given is neither undefined nor null. */
function plainly(schema: z.ZodType): z.ZodType {
  const { def } = schema._zod;
  const isWrapper = def.type === 'optional' || def.type === 'default' || def.type === 'nullable';
  return isWrapper ? plainly((def as unknown as { innerType: z.ZodType }).innerType) : schema;
}

/** Whether it checks anything besides the lengths of lists, which were checked before. */
const hasOwnChecks = ({ _zod }: z.ZodType): boolean =>
  (_zod.def.checks ?? []).some((check) => !/_length$/.test(check._zod.def.check));

/** Other fields than those of its shape are refused, dropped or kept as they are. */
const takesAnyFields = ({ catchall }: ObjectDef): boolean =>
  catchall === undefined || ['never', 'unknown'].includes(catchall._zod.def.type);

const isPlainObject = (raw: unknown): raw is Record<string, unknown> =>
  typeof raw === 'object' && raw !== null && [Object.prototype, null].includes(Object.getPrototypeOf(raw));

/** Assigning to __proto__ would change the prototype instead of the member. */
const define = (object: object, name: string, value: unknown) =>
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
