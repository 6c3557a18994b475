import { Fault, invalidInput, type OperationName, operations, suggest } from '@mem-service/contract';
import type { z } from 'zod';

type QueryFieldKind = 'text' | 'number' | 'boolean' | 'list';

/** The type of a field, without optional, default and other wrappers. */
function kindOf(schema: z.core.$ZodType): QueryFieldKind {
  const { def } = schema._zod;
  if ('innerType' in def) return kindOf(def.innerType as z.core.$ZodType);
  if (def.type === 'pipe') return kindOf((def as z.core.$ZodPipeDef).in);
  if (def.type === 'number' || def.type === 'boolean') return def.type;
  return def.type === 'array' ? 'list' : 'text';
}

function fieldsOf(name: OperationName): Map<string, QueryFieldKind> {
  const shape = (operations[name].input as z.ZodObject).shape;
  return new Map(Object.entries(shape).map(([field, schema]) => [field, kindOf(schema as z.core.$ZodType)]));
}

/** Addresses are kept in logs and histories. */
function isSecret(schema: z.core.$ZodType): boolean {
  if ((schema as z.ZodType).meta()?.writeOnly === true) return true;
  const { def } = schema._zod;
  return 'innerType' in def && isSecret(def.innerType as z.core.$ZodType);
}

function secretsOf(name: OperationName): Set<string> {
  const { shape } = operations[name].input as z.ZodObject;
  return new Set(Object.keys(shape).filter((field) => isSecret(shape[field] as z.core.$ZodType)));
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function toValue(kind: QueryFieldKind, text: string): unknown {
  if (kind === 'number') return /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
  if (kind === 'boolean')
    return text === 'true' || text === '1' || text === '' ? true : text === 'false' || text === '0' ? false : text;
  return kind === 'list' ? text.split(',') : text;
}

/** Adds a field from outside the body. Refuses a field that is already set: the request would be ambiguous. */
export function setField(input: Record<string, unknown>, field: string, value: unknown): void {
  if (Object.hasOwn(input, field)) throw invalidInput([{ path: field, message: 'is given twice' }]);
  input[field] = value;
}

/** Adds the parameters of a path to the input, numbers as numbers. */
export function pathReader(
  name: OperationName,
): (params: Record<string, string>, input: Record<string, unknown>) => void {
  const fields = fieldsOf(name);
  return (params, input) => {
    for (const [field, text] of Object.entries(params))
      setField(input, field, fields.get(field) === 'number' ? toValue('number', text) : text);
  };
}

/** Adds the query parameters of an address to the input. */
export type QueryReader = (url: string, input: Record<string, unknown>) => void;

/** Converts query strings to the types of the operation's input. Names may be snake_case or camelCase. */
export function queryReader(name: OperationName): QueryReader {
  const fields = fieldsOf(name);
  const secrets = secretsOf(name);
  return (url, input) => {
    const mark = url.indexOf('?');
    if (mark < 0) return;
    for (const [given, text] of new URLSearchParams(url.slice(mark + 1))) {
      const field = fields.has(given) ? given : snake(given);
      const kind = fields.get(field);
      if (kind === undefined)
        throw invalidInput([{ path: given, message: `is not a known field${suggest(field, [...fields.keys()])}` }]);
      if (secrets.has(field))
        throw new Fault('invalid_request', `${field} is a secret: send it in the body, not in the address`, { field });
      setField(input, field, toValue(kind, text));
    }
  };
}

export const hasField = (name: OperationName, field: string): boolean => fieldsOf(name).has(field);
