import { traceShapes } from '@mem-service/contract';
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

function convert(schema: z.ZodType): JsonObject {
  // zod calls only these two methods of the registry and reads its map.
  const metadata = unnamed as unknown as typeof z.globalRegistry;
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    metadata,
    unrepresentable: 'any',
    reused: 'inline',
  });
  return json as JsonObject;
}

export type SchemaWords = {
  about?: Readonly<Record<string, string>>;
  choices?: Readonly<Record<string, readonly string[]>>;
  limit?: number | undefined;
  /** An argument that the tool fills in where a call leaves it out. */
  self?: string | undefined;
};

/** The input schema of a tool, kept short: every client sends it to its model with every request. */
export function inputSchema(shape: Shape, { about = {}, choices = {}, limit, self }: SchemaWords = {}): ObjectSchema {
  const { properties } = convert(z.object(shape)) as ObjectSchema;
  const members = Object.entries(properties).map(([name, json]) => {
    const { description, ...rest } = brief(tidy(json) as JsonObject, about[name] !== undefined);
    const words = about[name] ?? (name === 'limit' && limit ? `Default ${limit}` : (COMMON[name] ?? description));
    const values = choices[name] === undefined ? ENUMS[name] : { enum: choices[name] };
    return [name, { ...rest, ...values, description: words }];
  });
  const needed = Object.keys(shape).filter(
    (name) => name !== self && isRequired(shape[name] as z.ZodType, choices[name]),
  );
  const schema = { type: 'object' as const, properties: Object.fromEntries(members) };
  return needed.length === 0 ? schema : { ...schema, required: needed };
}

/** Asked of the schema itself: one that transforms any input looks optional to zod. A default that the tool does not take is none. */
export function isRequired(schema: z.ZodType, choices?: readonly unknown[]): boolean {
  const { success, data } = schema.safeParse(undefined);
  return !success || (choices !== undefined && data !== undefined && !choices.includes(data));
}

/** Words for arguments that many tools have. */
const COMMON: Readonly<Record<string, string>> = {
  branch: 'Default main',
  cursor: 'The last next_cursor',
  limit: 'How many',
  room_id: 'Which room',
};

/** Of several names for the same thing, models need one. All are accepted. */
const ENUMS: Readonly<Record<string, JsonObject>> = { outcome_type: { enum: traceShapes.plainOutcomeTypes } };

/**
 * Shortens a schema. The description says what is the default where that matters; if it explains the items of a list,
 * only their type is kept.
 */
function brief(json: JsonObject, isDescribed: boolean): JsonObject {
  const { items, default: _, propertyNames: __, ...rest } = json;
  if (items === undefined) return rest;
  const { anyOf, type } = items as { anyOf?: JsonObject[]; type?: string };
  return { ...rest, items: isDescribed ? { type: type ?? anyOf?.[0]?.type } : items };
}

/** A wrong value is refused with a message that says what is right, so bounds need no room in every request. */
const NOISE = new Set([
  'pattern',
  'additionalProperties',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'format',
  'examples',
]);

function tidy(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(tidy);
  if (typeof node !== 'object' || node === null) return node;
  const { anyOf } = node as { anyOf?: JsonObject[] };
  if (anyOf?.length === 2 && anyOf[1]?.type === 'null') return tidy({ ...node, anyOf: undefined, ...anyOf[0] });
  return Object.fromEntries(
    Object.entries(node as JsonObject)
      .filter(([name, value]) => value !== undefined && !NOISE.has(name))
      .map(([name, value]) => [name, name === 'properties' ? tidyMembers(value as JsonObject) : tidy(value)]),
  );
}

/** Names of members are not schema keywords. */
const tidyMembers = (members: JsonObject) =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, withoutWords(tidy(member) as JsonObject)]));

const withoutWords = ({ description: _, ...rest }: JsonObject) => rest;
