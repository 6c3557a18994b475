import {
  type Glob,
  type OperationName,
  operations,
  parseGlob,
  roomShapes,
  shapes,
  traceShapes,
} from '@mem-service/contract';
import type { z } from 'zod';
import { splitEntryName } from './entry-name.ts';

/** `isPath`: the schema of the field allows only a single path, not a pattern. */
export type NamedPath = { glob: Glob; isPath: boolean };

type PathSchema = z.core.$ZodType;
type CollectPaths = (value: unknown, found: NamedPath[]) => void;
type WantedPath = {
  isWanted: (text: string) => boolean;
  /** Also the paths within the names of entries, `entity_path/key`. */
  inNames?: true;
};

/** Returns every path that an input contains, in any field whose schema may hold one. */
export const pathsNamedIn = collecting({ isWanted: () => true });

const AT = roomShapes.ROOM_SIGN.charCodeAt(0);

/** Those of rooms alone. Asked of every call, so it looks at one character of each path. */
export const roomPathsIn = collecting({
  isWanted: (text) => text.charCodeAt(0) === AT,
  inNames: true,
});

function collecting(wanted: WantedPath): (name: OperationName, input: unknown) => NamedPath[] {
  const walks = new Map<OperationName, CollectPaths | undefined>();
  return (name, input) => {
    if (!walks.has(name)) walks.set(name, walkOf(operations[name].input, wanted));
    const found: NamedPath[] = [];
    walks.get(name)?.(input, found);
    return found;
  };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Builds the function that collects the paths from a value of this schema; undefined where the schema holds none. */
function walkOf(schema: PathSchema, wanted: WantedPath): CollectPaths | undefined {
  const walk = (inner: PathSchema) => walkOf(inner, wanted);
  if (schema === shapes.entityPath || schema === shapes.pathGlob) return takeGlob(schema === shapes.entityPath, wanted);
  if (schema === traceShapes.entryName) return wanted.inNames && takeName(wanted);
  // Every kind of schema has its own `def`; these members lead to the nested schemas.
  const { shape, element, innerType, in: input, options, valueType } = schema._zod.def as unknown as SchemaChildren;
  if (shape) return walkMembers(shape, wanted);
  if (options) return inTurn(options.flatMap((option) => walk(option) ?? []));
  const each = element ?? valueType;
  if (each) return walkEach(walk(each));
  const inner = innerType ?? input;
  return inner && walk(inner);
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
  (isPath: boolean, { isWanted }: WantedPath): CollectPaths =>
  (value, found) => {
    const glob = typeof value === 'string' && isWanted(value) ? parseGlob(value) : undefined;
    if (glob) found.push({ glob, isPath });
  };

const takeName =
  ({ isWanted }: WantedPath): CollectPaths =>
  (value, found) => {
    const path = typeof value === 'string' && isWanted(value) ? splitEntryName(value)?.entity_path : undefined;
    if (path !== undefined) found.push({ glob: { kind: 'exact', path }, isPath: true });
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

function walkMembers(shape: Record<string, PathSchema>, wanted: WantedPath): CollectPaths | undefined {
  const members = Object.entries(shape).flatMap(([field, schema]): CollectPaths[] => {
    if (`${field}_type` in shape) return [takeNode(field, wanted)];
    const walk = walkOf(schema, wanted);
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
  (field: string, { isWanted }: WantedPath): CollectPaths =>
  (value, found) => {
    const { [field]: name, [`${field}_type`]: type } = value as Record<string, unknown>;
    if (typeof name !== 'string') return;
    const path = type === 'entity' ? name : type === 'entry' ? splitEntryName(name)?.entity_path : undefined;
    if (path !== undefined && isWanted(path)) found.push({ glob: { kind: 'exact', path }, isPath: true });
  };
