import * as z from 'zod';
import type { JsonObject } from './session.ts';

export type Shape = Record<string, z.ZodType>;
export type ObjectSchema = { type: 'object'; properties: Record<string, JsonObject>; required?: string[] };

/** Schema names are for documents with many schemas; a tool's schema is written inline. */
const unnamed = {
  get(schema: z.ZodType) {
    const { id: _, examples: __, ...meta } = z.globalRegistry.get(schema) ?? {};
    return meta;
  },
  has: (schema: z.ZodType) => z.globalRegistry.has(schema),
  _idmap: new Map(),
};

function convert(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  // zod calls only these two methods of the registry and reads its map.
  const metadata = unnamed as unknown as typeof z.globalRegistry;
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, metadata, unrepresentable: 'any', reused: 'inline' });
  return json as JsonObject;
}

type SchemaWords = { about?: Readonly<Record<string, string>>; limit?: number | undefined };

/** The input schema of a tool, kept short: every client sends it to its model with every request. */
export function inputSchema(shape: Shape, { about = {}, limit }: SchemaWords = {}): ObjectSchema {
  const { properties, required = [] } = convert(z.object(shape), 'input') as ObjectSchema;
  const members = Object.entries(properties).map(([name, json]) => {
    const { description, ...rest } = brief(tidy(json) as JsonObject, about[name] !== undefined);
    const words = about[name] ?? (PLAIN.has(name) ? '' : description);
    if (name === 'limit' && limit !== undefined) rest.default = limit;
    if (name === 'branch') delete rest.default;
    return [name, words ? { ...rest, description: words } : rest];
  });
  // A schema that transforms any input looks optional to zod.
  const needed = Object.keys(shape).filter((name) => required.includes(name) || name === 'value');
  const schema = { type: 'object' as const, properties: Object.fromEntries(members) };
  return needed.length === 0 ? schema : { ...schema, required: needed };
}

/** Fields whose name needs no description. */
const PLAIN = new Set(['branch', 'cursor', 'limit', 'memory_type', 'confidence']);

/** Shortens a schema. If the description of a list explains its items, only their type is kept. */
function brief(json: JsonObject, isDescribed: boolean): JsonObject {
  const { items, default: fallback, propertyNames: _, ...rest } = json;
  const isPlain = typeof fallback !== 'object' && fallback !== '';
  const kept = isPlain && fallback !== undefined ? { ...rest, default: fallback } : rest;
  if (items === undefined) return kept;
  const { anyOf, type } = items as { anyOf?: JsonObject[]; type?: string };
  return { ...kept, items: isDescribed ? { type: type ?? anyOf?.[0]?.type } : items };
}

const NOISE = new Set(['pattern', 'additionalProperties', 'minLength', 'maxLength', 'maxItems', 'format', 'examples']);

function tidy(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(tidy);
  if (typeof node !== 'object' || node === null) return node;
  const { anyOf } = node as { anyOf?: JsonObject[] };
  if (anyOf?.length === 2 && anyOf[1]?.type === 'null') return tidy({ ...node, anyOf: undefined, ...anyOf[0] });
  return Object.fromEntries(
    Object.entries(node as JsonObject)
      .filter(([name, value]) => value !== undefined && !NOISE.has(name) && !isBoundless(name, value))
      .map(([name, value]) => [name, name === 'properties' ? tidyMembers(value as JsonObject) : tidy(value)]),
  );
}

/** Names of members are not schema keywords. */
const tidyMembers = (members: JsonObject) =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, withoutWords(tidy(member) as JsonObject)]));

const withoutWords = ({ description: _, ...rest }: JsonObject) => rest;

const isBoundless = (name: string, value: unknown) =>
  (name === 'minimum' || name === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;

/**
 * The output schema of a tool, with only the types of its members. Nothing is required, because a miss has other
 * members.
 */
export function outputSchema(schema: z.ZodType, named?: readonly string[]): ObjectSchema {
  const members = objectsIn(schema).flatMap(({ shape }) => Object.entries(shape));
  const described = members
    .filter(([name]) => !named || named.includes(name))
    .map(([name, member]) => [name, kept(member)]);
  const { properties = {} } = convert(z.object(Object.fromEntries(described)), 'output') as Partial<ObjectSchema>;
  const types = Object.entries(properties).map(([name, member]) => {
    const type = typeOf(member);
    return [name, type === undefined ? {} : { type }];
  });
  return { type: 'object', properties: Object.fromEntries(types) };
}

const objectsIn = (schema: z.ZodType): z.ZodObject<Shape>[] =>
  schema instanceof z.ZodUnion ? schema.options.flatMap((one) => objectsIn(one as z.ZodType)) : [schema as never];

/** Item schemas of lists are left out, because they are long. */
const kept = (member: z.ZodType) => (member instanceof z.ZodArray ? z.array(z.unknown()) : member);

function typeOf({ type, anyOf, enum: choices }: JsonObject): unknown {
  if (type !== undefined) return type;
  if (choices !== undefined) return 'string';
  const types = (anyOf as JsonObject[] | undefined)?.map(typeOf);
  return types?.every((one) => typeof one === 'string') ? types : undefined;
}
