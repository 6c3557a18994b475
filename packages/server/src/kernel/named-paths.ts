import { type Glob, type OperationName, operations, parseGlob, shapes } from '@mem-service/contract';
import type { z } from 'zod';
import { splitEntryName } from './entry-name.ts';

/** `isPath`: the schema of the field allows only a single path, not a pattern. */
export type NamedPath = { glob: Glob; isPath: boolean };

type PathSchema = z.core.$ZodType;
type CollectPaths = (value: unknown, found: NamedPath[]) => void;

const walks = new Map<OperationName, CollectPaths | undefined>();

/** Returns every path that an input contains, in any field whose schema may hold one. */
export function pathsNamedIn(name: OperationName, input: unknown): NamedPath[] {
  if (!walks.has(name)) walks.set(name, walkOf(operations[name].input));
  const found: NamedPath[] = [];
  walks.get(name)?.(input, found);
  return found;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Builds the function that collects the paths from a value of this schema; undefined where the schema holds none. */
function walkOf(schema: PathSchema): CollectPaths | undefined {
  if (schema === shapes.entityPath || schema === shapes.pathGlob) return takeGlob(schema === shapes.entityPath);
  // Every kind of schema has its own `def`; these members lead to the nested schemas.
  const { shape, element, innerType, in: input, options, valueType } = schema._zod.def as unknown as SchemaChildren;
  if (shape) return walkMembers(shape);
  if (options) return inTurn(options.flatMap((option) => walkOf(option) ?? []));
  const each = element ?? valueType;
  if (each) return walkEach(walkOf(each));
  const inner = innerType ?? input;
  return inner && walkOf(inner);
}

type SchemaChildren = {
  shape?: Record<string, PathSchema>;
  element?: PathSchema;
  innerType?: PathSchema;
  in?: PathSchema;
  options?: readonly PathSchema[];
  valueType?: PathSchema;
};

const takeGlob =
  (isPath: boolean): CollectPaths =>
  (value, found) => {
    const glob = typeof value === 'string' ? parseGlob(value) : undefined;
    if (glob) found.push({ glob, isPath });
  };

const inTurn = (all: readonly CollectPaths[]): CollectPaths | undefined =>
  all.length === 0
    ? undefined
    : (value, found) => {
        for (const walk of all) walk(value, found);
      };

const walkEach = (walk: CollectPaths | undefined): CollectPaths | undefined =>
  walk &&
  ((value, found) => {
    if (isObject(value)) for (const one of Object.values(value)) walk(one, found);
  });

function walkMembers(shape: Record<string, PathSchema>): CollectPaths | undefined {
  const members = Object.entries(shape).flatMap(([field, schema]): CollectPaths[] => {
    if (`${field}_type` in shape) return [takeNode(field)];
    const walk = walkOf(schema);
    return walk ? [(value, found) => walk((value as Record<string, unknown>)[field], found)] : [];
  });
  const all = inTurn(members);
  return (
    all &&
    ((value, found) => {
      if (isObject(value)) all(value, found);
    })
  );
}

/** A node of the graph has a name, and another field gives its kind. */
const takeNode =
  (field: string): CollectPaths =>
  (value, found) => {
    const { [field]: name, [`${field}_type`]: type } = value as Record<string, unknown>;
    if (typeof name !== 'string') return;
    const path = type === 'entity' ? name : type === 'entry' ? splitEntryName(name)?.entity_path : undefined;
    if (path !== undefined) found.push({ glob: { kind: 'exact', path }, isPath: true });
  };
