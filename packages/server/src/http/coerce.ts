import { type OperationName, operations } from '@mem-service/contract';
import type { z } from 'zod';

type FieldKind = 'text' | 'number' | 'boolean' | 'list';

/** What a field is, below optional, default and the like. */
function kindOf(schema: z.core.$ZodType): FieldKind {
  const { def } = schema._zod;
  if ('innerType' in def) return kindOf(def.innerType as z.core.$ZodType);
  if (def.type === 'pipe') return kindOf((def as z.core.$ZodPipeDef).in);
  if (def.type === 'number' || def.type === 'boolean') return def.type;
  return def.type === 'array' ? 'list' : 'text';
}

function fieldsOf(name: OperationName): Map<string, FieldKind> {
  const shape = (operations[name].input as z.ZodObject).shape;
  return new Map(Object.entries(shape).map(([field, schema]) => [field, kindOf(schema as z.core.$ZodType)]));
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function toValue(kind: FieldKind, text: string): unknown {
  if (kind === 'number') return /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
  if (kind === 'boolean')
    return text === 'true' || text === '1' || text === '' ? true : text === 'false' || text === '0' ? false : text;
  return kind === 'list' ? text.split(',') : text;
}

/** Turns the strings of a query into what the operation takes. Names may be snake_case or camelCase. */
export function queryReader(name: OperationName): (query: URLSearchParams, into: Record<string, unknown>) => void {
  const fields = fieldsOf(name);
  return (query, into) => {
    for (const [given, text] of query) {
      const field = fields.has(given) ? given : snake(given);
      const kind = fields.get(field);
      into[kind ? field : given] = kind ? toValue(kind, text) : text;
    }
  };
}

export const hasField = (name: OperationName, field: string): boolean => fieldsOf(name).has(field);
