import { laterShape, type Operation } from '@mem-service/contract';
import { camel } from './camel.ts';

type MemberSchema = Operation['input'];
type RenamedMember = { name: string; schema: MemberSchema };

/** How to treat a value: leave it, rename the members of an object, or descend into each element or member. */
type RenamePlan =
  | { kind: 'keep' }
  | { kind: 'each'; item: MemberSchema }
  | { kind: 'members'; toWire: Map<string, RenamedMember>; fromWire: Map<string, RenamedMember> };

export type Direction = 'toWire' | 'fromWire';

const KEEP: RenamePlan = { kind: 'keep' };
const plans = new WeakMap<MemberSchema, RenamePlan>();

/**
 * Renames the members that the schema declares between camelCase and snake_case. Keys of records, and everything inside
 * a value of any shape, belong to the user and are unchanged.
 */
export function rename(schema: MemberSchema, value: unknown, direction: Direction): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const plan = planOf(schema);
  if (plan.kind === 'each') {
    if (Array.isArray(value)) return value.map((item) => rename(plan.item, item, direction));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rename(plan.item, item, direction)]));
  }
  if (plan.kind === 'keep' || Array.isArray(value)) return value;
  const fields = plan[direction];
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const field = fields.get(key);
      return field ? [field.name, rename(field.schema, item, direction)] : [key, item];
    }),
  );
}

function planOf(schema: MemberSchema): RenamePlan {
  let plan = plans.get(schema);
  if (!plan) {
    plan = makePlan(schema);
    plans.set(schema, plan);
  }
  return plan;
}

/** The part of a zod schema's definition that describes its structure. */
type SchemaDefinition = {
  type: string;
  shape?: Record<string, MemberSchema>;
  element?: MemberSchema;
  valueType?: MemberSchema;
  innerType?: MemberSchema;
  in?: MemberSchema;
  options?: MemberSchema[];
  getter?: () => MemberSchema;
};

export const definitionOf = (schema: MemberSchema): SchemaDefinition => schema._zod.def as SchemaDefinition;

function makePlan(schema: MemberSchema): RenamePlan {
  const later = laterShape(schema);
  if (later) return planOf(later);
  const def = definitionOf(schema);
  const inner = def.innerType ?? (def.type === 'pipe' ? def.in : def.getter?.());
  if (inner) return planOf(inner);
  const item = def.element ?? def.valueType;
  if (item) return { kind: 'each', item };
  if (def.shape) return membersOf(def.shape);
  return def.options ? mergePlans(def.options.map(planOf)) : KEEP;
}

function membersOf(shape: Record<string, MemberSchema>): RenamePlan {
  const fields = Object.entries(shape);
  return {
    kind: 'members',
    toWire: new Map(fields.map(([name, schema]) => [camel(name), { name, schema }])),
    fromWire: new Map(fields.map(([name, schema]) => [name, { name: camel(name), schema }])),
  };
}

/** For a union: the members of all its objects, or the one option that is not a plain value. */
function mergePlans(options: RenamePlan[]): RenamePlan {
  const objects = options.filter((plan) => plan.kind === 'members');
  if (objects.length === 0) return options.find((plan) => plan.kind === 'each') ?? KEEP;
  const merge = (direction: Direction) => new Map(objects.flatMap((plan) => [...plan[direction]]));
  return { kind: 'members', toWire: merge('toWire'), fromWire: merge('fromWire') };
}
