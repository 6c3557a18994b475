import { JsonText, type OperationName, operations } from '@mem-service/contract';
import { expect } from 'vitest';
import type { z } from 'zod';

/** Every member of an answer that its shape does not name, by its path; and what the shape has against the rest. */
export function problemsOf(shape: z.ZodType, answer: unknown): string[] {
  const parsed = shape.safeParse(answer);
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  // A shape leaves out what it does not name.
  return missingIn(parsed.data, answer, '');
}

function missingIn(kept: unknown, sent: unknown, at: string): string[] {
  if (kept instanceof JsonText || typeof sent !== 'object' || sent === null) return [];
  return Object.entries(sent).flatMap(([name, one]) => {
    const path = at === '' ? name : `${at}.${name}`;
    if (typeof kept !== 'object' || kept === null || !(name in kept)) return [`${path}: is not declared`];
    return missingIn((kept as Record<string, unknown>)[name], one, path);
  });
}

/** An answer holds what the contract declares and nothing else, however deep. */
export function expectDeclared(name: OperationName, answers: readonly unknown[], asked: unknown = {}): void {
  for (const answer of answers)
    expect(problemsOf(operations[name].output, answer), `${name} ${JSON.stringify({ asked, answer })}`).toEqual([]);
}

type Def = { shape?: Record<string, z.core.$ZodType>; catchall?: z.core.$ZodType } & Record<string, unknown>;

/** The objects of a shape that take members of any name, each as the path that leads to it. */
export function openObjects(shape: z.core.$ZodType, at = '', seen = new Set<z.core.$ZodType>()): string[] {
  if (seen.has(shape)) return [];
  seen.add(shape);
  const { shape: members, catchall, ...rest } = shape._zod.def as unknown as Def;
  const isOpen = catchall !== undefined && catchall._zod.def.type !== 'never';
  const below = Object.entries(members ?? {}).map(([name, one]) => [one, `${at}.${name}`] as const);
  const within = [rest.element, rest.innerType, rest.valueType, rest.out, rest.left, rest.right, rest.options]
    .flat()
    .flatMap((one) => (one ? [[one as z.core.$ZodType, at] as const] : []));
  return [...(isOpen ? [at] : []), ...[...below, ...within].flatMap(([one, path]) => openObjects(one, path, seen))];
}

/** The same by names alone, for answers that show less than they hold: a member may be left out, or be a count of itself. */
export function undeclaredNames(shapes: readonly z.core.$ZodType[], answer: unknown, at = ''): string[] {
  if (Array.isArray(answer)) return answer.flatMap((one) => undeclaredNames(shapes.flatMap(elementsOf), one, at));
  if (typeof answer !== 'object' || answer === null) return [];
  const objects = shapes.flatMap(objectsIn);
  if (objects.length === 0 || objects.some(({ catchall }) => catchall?._zod.def.type === 'unknown')) return [];
  return Object.entries(answer).flatMap(([name, one]) => {
    const members = objects.flatMap(({ shape }) => shape?.[name] ?? []);
    const path = `${at}.${name}`;
    return members.length === 0 ? [`${path}: is not declared`] : undeclaredNames(members, one, path);
  });
}

const defOf = (shape: z.core.$ZodType): Def => shape._zod.def as unknown as Def;
const through = ({ innerType, out }: Def) => [innerType, out].flatMap((one) => (one ? [one as z.core.$ZodType] : []));
const choices = ({ options = [] }: Def) => options as z.core.$ZodType[];

const objectsIn = (shape: z.core.$ZodType): Def[] => {
  const def = defOf(shape);
  return def.shape ? [def] : [...through(def), ...choices(def)].flatMap(objectsIn);
};

const elementsOf = (shape: z.core.$ZodType): z.core.$ZodType[] => {
  const def = defOf(shape);
  return def.element ? [def.element as z.core.$ZodType] : [...through(def), ...choices(def)].flatMap(elementsOf);
};
