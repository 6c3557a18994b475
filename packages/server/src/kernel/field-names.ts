import type { z } from 'zod';

export type InputSchema = z.core.$ZodType;

/** The names of the fields that an object at this path of an input may have, to suggest one for a misspelt name. */
export function fieldNamesAt(schema: InputSchema, path: readonly string[]): string[] {
  const { def } = schema._zod;
  if ('innerType' in def) return fieldNamesAt(def.innerType as InputSchema, path);
  if (def.type === 'pipe') {
    const { in: given, out } = def as z.core.$ZodPipeDef;
    return [...fieldNamesAt(given, path), ...fieldNamesAt(out, path)];
  }
  if (def.type === 'union') return (def as z.core.$ZodUnionDef).options.flatMap((one) => fieldNamesAt(one, path));
  const [first, ...rest] = path;
  if (def.type === 'array') return first === undefined ? [] : fieldNamesAt((def as z.core.$ZodArrayDef).element, rest);
  if (def.type !== 'object') return [];
  const { shape } = def as z.core.$ZodObjectDef;
  if (first === undefined) return Object.keys(shape);
  return Object.hasOwn(shape, first) ? fieldNamesAt(shape[first] as InputSchema, rest) : [];
}
