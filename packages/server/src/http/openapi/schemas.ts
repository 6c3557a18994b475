import type { JsonObject } from '@mem-service/contract';
import * as z from 'zod';

export type { JsonObject } from '@mem-service/contract';

type ObjectMembers = { properties: Record<string, JsonObject>; required: string[] };

/** Named schemas become components; each use becomes a reference. */
export class Schemas {
  readonly #components = new Map<string, JsonObject>();

  get components(): Record<string, JsonObject> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A reference to the schema, under its own name or the given one. */
  named(schema: z.ZodType, name: string, io: 'input' | 'output'): JsonObject {
    const json = this.#convert(schema, io);
    return '$ref' in json ? json : this.#add(name, json);
  }

  /** The schema of the request body: the input without the members in the path. */
  body(schema: z.ZodType, name: string, inPath: readonly string[]): JsonObject {
    if (inPath.length === 0) return this.named(schema, name, 'input');
    const { properties, required, ...rest } = this.#convert(schema, 'input') as JsonObject & ObjectMembers;
    const isLeft = (field: string) => !inPath.includes(field);
    return this.#add(name, {
      ...rest,
      properties: Object.fromEntries(Object.entries(properties).filter(([field]) => isLeft(field))),
      required: required.filter(isLeft),
    });
  }

  /** The members of an input. */
  members(schema: z.ZodType): ObjectMembers {
    const { properties, required = [] } = this.#convert(schema, 'input');
    return { properties, required } as ObjectMembers;
  }

  /** The description of a member, or of the component that it refers to. */
  describe({ description, $ref }: JsonObject): string | undefined {
    const component = typeof $ref === 'string' ? this.#components.get($ref.split('/').at(-1) ?? '') : undefined;
    return (description ?? component?.description) as string | undefined;
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    const json = z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any', reused: 'inline' });
    const { $schema: _, $defs = {}, ...rest } = tidy(json, io) as JsonObject & { $defs?: Record<string, JsonObject> };
    for (const [id, { id: _id, ...definition }] of Object.entries($defs)) this.#add(id, definition);
    return rest;
  }

  /** The first one stays: inputs are stricter than outputs and are added first. */
  #add(name: string, json: JsonObject): JsonObject {
    if (!this.#components.has(name)) this.#components.set(name, json);
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** Removes noise, and lets answers have additional members. */
function tidy(node: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(node)) return node.map((item) => tidy(item, io));
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.entries(node as JsonObject).filter(([name, value]) => {
    if (name === 'pattern') return (node as JsonObject).format !== 'date-time';
    if (name === 'minimum' || name === 'maximum') return Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;
    return !(name === 'additionalProperties' && value === false && io === 'output');
  });
  return Object.fromEntries(
    members.map(([name, value]) => [name, name === '$ref' ? toComponent(value) : tidy(value, io)]),
  );
}

const toComponent = (ref: unknown) => String(ref).replace('#/$defs/', '#/components/schemas/');
