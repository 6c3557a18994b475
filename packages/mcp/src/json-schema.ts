import * as z from 'zod';
import type { JsonObject } from './session.ts';

export type Shape = Record<string, z.ZodType>;
export type ObjectSchema = { type: 'object'; properties: Record<string, JsonObject>; required?: string[] };

/** The names of shapes are for documents with many of them; a tool says what it takes in one place. */
const unnamed = {
  get(schema: z.ZodType) {
    const { id: _, examples: __, ...meta } = z.globalRegistry.get(schema) ?? {};
    return meta;
  },
  has: (schema: z.ZodType) => z.globalRegistry.has(schema),
  _idmap: new Map(),
};

function convert(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  // zod asks the registry for these two methods and the map alone.
  const metadata = unnamed as unknown as typeof z.globalRegistry;
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, metadata, unrepresentable: 'any', reused: 'inline' });
  return json as JsonObject;
}

type SchemaWords = { about?: Readonly<Record<string, string>>; limit?: number | undefined };

/** What a tool takes, in as few words as a model needs: every client sends them to it with every question. */
export function inputSchema(shape: Shape, { about = {}, limit }: SchemaWords = {}): ObjectSchema {
  const { properties, required = [] } = convert(z.object(shape), 'input') as ObjectSchema;
  const members = Object.entries(properties).map(([name, json]) => {
    const { description, ...rest } = brief(tidy(json) as JsonObject, about[name] !== undefined);
    const words = about[name] ?? (PLAIN.has(name) ? '' : description);
    if (name === 'limit' && limit !== undefined) rest.default = limit;
    if (name === 'branch') delete rest.default;
    return [name, words ? { ...rest, description: words } : rest];
  });
  // What is made of anything looks optional to zod.
  const needed = Object.keys(shape).filter((name) => required.includes(name) || name === 'value');
  const schema = { type: 'object' as const, properties: Object.fromEntries(members) };
  return needed.length === 0 ? schema : { ...schema, required: needed };
}

/** Said by their names. */
const PLAIN = new Set(['branch', 'cursor', 'limit', 'memory_type', 'confidence']);

/** A list of which the words tell what is in it is shown by the kind of its items alone. */
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

/** Names of members are not keywords. */
const tidyMembers = (members: JsonObject) =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, withoutWords(tidy(member) as JsonObject)]));

const withoutWords = ({ description: _, ...rest }: JsonObject) => rest;

const isBoundless = (name: string, value: unknown) =>
  (name === 'minimum' || name === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;

/** What an answer holds, by the kind of its members alone. Nothing is required: a miss answers in the same place. */
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

/** Of a list nobody is told what is in it, which takes long to say. */
const kept = (member: z.ZodType) => (member instanceof z.ZodArray ? z.array(z.unknown()) : member);

function typeOf({ type, anyOf, enum: choices }: JsonObject): unknown {
  if (type !== undefined) return type;
  if (choices !== undefined) return 'string';
  const types = (anyOf as JsonObject[] | undefined)?.map(typeOf);
  return types?.every((one) => typeof one === 'string') ? types : undefined;
}
