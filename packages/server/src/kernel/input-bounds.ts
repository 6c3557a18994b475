import { type FieldError, invalidInput, suggest } from '@mem-service/contract';
import type { z } from 'zod';
import type { InputSchema } from './field-names.ts';

/** Of an object with names of the caller's choice, where its schema has no `maxProperties`. */
const MAX_RECORD_MEMBERS = 10_000;
/** Unknown fields beside the known ones that are still left to the schema, which names them all. */
const MAX_UNKNOWN = 100;

/** What may be too many within an input, derived from its schema; undefined where nothing can be. */
type InputBounds = {
  items?: number | undefined;
  each?: InputBounds | undefined;
  members?: number | undefined;
  /** What the members are, for a reader who gave too many. */
  about?: string;
  fields?: ReadonlyMap<string, InputBounds | undefined> | undefined;
  isStrict?: boolean;
  anyOf?: readonly InputBounds[];
};

const known = new WeakMap<InputSchema, { bounds: InputBounds | undefined }>();

/**
 * Refuses lists and objects with far too many members before the schema reads each of them: that takes a microsecond or
 * more a member, and an issue for each that is wrong. Returns how many items its lists have in all.
 */
export function countItems(schema: InputSchema, raw: unknown): number {
  let found = known.get(schema);
  if (!found) {
    found = { bounds: boundsOf(schema) };
    known.set(schema, found);
  }
  return found.bounds ? check(raw, found.bounds, '') : 0;
}

function boundsOf(schema: InputSchema): InputBounds | undefined {
  const { def } = schema._zod;
  if ('innerType' in def) return boundsOf(def.innerType as InputSchema);
  switch (def.type) {
    case 'pipe':
      return boundsOf((def as z.core.$ZodPipeDef).in) ?? boundsOf((def as z.core.$ZodPipeDef).out);
    case 'union': {
      const anyOf = (def as z.core.$ZodUnionDef).options.flatMap((one) => boundsOf(one) ?? []);
      return anyOf.length === 0 ? undefined : { anyOf };
    }
    case 'array':
      return { items: mostItems(schema), each: boundsOf((def as z.core.$ZodArrayDef).element) };
    case 'record':
      return membersOf(schema);
    case 'object': {
      const { shape, catchall } = def as z.core.$ZodObjectDef;
      const fields = new Map(Object.entries(shape).map(([name, field]) => [name, boundsOf(field)]));
      return { fields, isStrict: catchall?._zod.def.type === 'never' };
    }
    default:
      return undefined;
  }
}

function membersOf(schema: InputSchema): InputBounds {
  const { maxProperties, description } = (schema as z.ZodType).meta() ?? {};
  if (maxProperties === undefined) return { members: MAX_RECORD_MEMBERS };
  return { members: Number(maxProperties), about: description ? `. ${description}` : '' };
}

function mostItems({ _zod }: InputSchema): number | undefined {
  const checks = (_zod.def.checks ?? []).map((check) => check._zod.def as { check: string; maximum?: number });
  return checks.find(({ check }) => check === 'max_length')?.maximum;
}

function check(raw: unknown, bounds: InputBounds, path: string): number {
  if (typeof raw !== 'object' || raw === null) return 0;
  let items = 0;
  for (const one of bounds.anyOf ?? []) items += check(raw, one, path);
  if (Array.isArray(raw)) return items + checkList(raw, bounds, path);
  if (bounds.fields || bounds.members !== undefined)
    return items + checkObject(raw as Record<string, unknown>, bounds, path);
  return items;
}

function checkList(
  raw: readonly unknown[],
  { items = Number.POSITIVE_INFINITY, each }: InputBounds,
  path: string,
): number {
  if (raw.length > items) throw invalidInput([{ path, message: `must not have more than ${items} items` }]);
  let count = raw.length;
  if (each) for (const [i, item] of raw.entries()) count += check(item, each, join(path, i));
  return count;
}

function checkObject(raw: Record<string, unknown>, bounds: InputBounds, path: string): number {
  const { fields, members, about = '', isStrict } = bounds;
  if (members !== undefined && Object.keys(raw).length > members)
    throw invalidInput([{ path, message: `must not have more than ${members} members${about}` }]);
  if (!fields) return 0;
  if (isStrict) refuseUnknown(raw, fields, path);
  let items = 0;
  for (const [name, field] of fields)
    if (field && Object.hasOwn(raw, name)) items += check(raw[name], field, join(path, name));
  return items;
}

function refuseUnknown(raw: object, fields: ReadonlyMap<string, unknown>, path: string): void {
  const names = Object.keys(raw);
  if (names.length <= fields.size + MAX_UNKNOWN) return;
  const errors: FieldError[] = [];
  const fieldNames = [...fields.keys()];
  for (const name of names) {
    if (fields.has(name)) continue;
    errors.push({ path: join(path, name), message: `is not a known field${suggest(name, fieldNames)}` });
    if (errors.length === MAX_UNKNOWN) throw invalidInput(errors);
  }
}

const join = (path: string, name: string | number): string => (path === '' ? String(name) : `${path}.${name}`);
