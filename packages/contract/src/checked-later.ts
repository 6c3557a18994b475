import * as z from 'zod';

const shapes = new WeakMap<object, z.ZodType>();

/** Takes anything, so that its owner can refuse one item of a list and not the list; callers see the shape. */
export function checkedLater<T extends z.ZodType>(
  shape: T,
  meta: { description: string },
): z.ZodType<unknown, z.input<T>> {
  const unchecked = z.unknown().meta(meta);
  shapes.set(unchecked, shape);
  return unchecked as unknown as z.ZodType<unknown, z.input<T>>;
}

/** The shape that will be checked. */
export const laterShape = (schema: object): z.ZodType | undefined => shapes.get(schema);
