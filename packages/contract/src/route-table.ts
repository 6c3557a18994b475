import { laterShape } from './checked-later.ts';
import type { Operation } from './operation.ts';
import { type OperationName, operationNames, operations } from './operations/index.ts';
import type { NameShape, Route, RouteAddress } from './route.ts';

type RowSchema = Operation['input'];

/** The part of a zod schema's definition that describes its structure. */
type SchemaDefinition = {
  type: string;
  shape?: Record<string, RowSchema>;
  catchall?: RowSchema;
  element?: RowSchema;
  valueType?: RowSchema;
  innerType?: RowSchema;
  in?: RowSchema;
  options?: RowSchema[];
  getter?: () => RowSchema;
};

type MemberPlan = { kind: 'members'; members: Map<string, RowSchema>; isLoose: boolean };
/** What a value holds. Members may lead back to it. */
type NamePlan = { kind: 'scalar' } | { kind: 'any' } | { kind: 'list' | 'record'; item: RowSchema } | MemberPlan;

const ANY = new Set(['unknown', 'any', 'custom']);
const definitionOf = (schema: RowSchema): SchemaDefinition => schema._zod.def as SchemaDefinition;

/** The file `routes.ts`: each row is a line, with its names in quotes. */
export function routesSource(): string {
  const rows = operationNames.map((name) => `  ${JSON.stringify(name)}: ${JSON.stringify(routeOf(name))},\n`);
  return `// Made by \`npm run openapi\` from the table of operations. Do not edit.
import type { OperationName } from './operations/index.ts';
import type { Route } from './route.ts';

export const routes: Readonly<Record<OperationName, Route>> = {
${rows.join('')}};
`;
}

function routeOf(name: OperationName): Route {
  const { http, effect, needs_notes, admin, seals, stream, lines, input, output }: Operation = operations[name];
  const addressOf = ({ method, path }: Pick<typeof http, 'method' | 'path'>): RouteAddress => `${method} ${path}`;
  const members = Object.entries(definitionOf(output).shape ?? {});
  const lists = members.filter(([, schema]) => definitionOf(schema).type === 'array');
  return {
    to: addressOf(http),
    // JSON leaves out what is not defined.
    aliases: http.aliases?.map(addressOf),
    effect,
    needs_notes,
    admin,
    seals,
    stream,
    lines,
    paged: members.some(([member]) => member === 'has_more') || undefined,
    list: lists.length === 1 ? lists[0]?.[0] : undefined,
    input: shapeOf(input, isExactInput) ?? undefined,
    output: shapeOf(output, ({ isLoose }) => isLoose) ?? undefined,
  } as Route;
}

function planOf(schema: RowSchema): NamePlan {
  const later = laterShape(schema);
  if (later) return planOf(later);
  const { type, innerType, getter, element, valueType, shape, catchall, options, ...definition } = definitionOf(schema);
  const inner = innerType ?? (type === 'pipe' ? definition.in : getter?.());
  if (inner) return planOf(inner);
  if (element) return { kind: 'list', item: element };
  if (valueType) return { kind: 'record', item: valueType };
  if (options) return options.map(planOf).reduce(either);
  if (!shape) return { kind: ANY.has(type) ? 'any' : 'scalar' };
  const isLoose = catchall !== undefined && definitionOf(catchall).type !== 'never';
  return { kind: 'members', members: new Map(Object.entries(shape)), isLoose };
}

/** For a union: the members of all its objects, or the option that is not a plain value. */
function either(one: NamePlan, other: NamePlan): NamePlan {
  if (one.kind === 'members' && other.kind === 'members') {
    const members = new Map([...one.members, ...other.members]);
    return { kind: 'members', members, isLoose: one.isLoose || other.isLoose };
  }
  const rank = (plan: NamePlan) => ['scalar', 'any', 'record', 'list', 'members'].indexOf(plan.kind);
  return rank(one) >= rank(other) ? one : other;
}

/** Whether its declared names must be listed. */
type IsExact = (plan: MemberPlan) => boolean;

/** A client cannot make every name of the wire from its own: those with capitals, or with numbers as words. */
const isIrregular = (name: string): boolean => !/^[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*$/.test(name);
const isExactInput: IsExact = ({ members, isLoose }) => isLoose || [...members.keys()].some(isIrregular);

/** Null where all names are the service's. */
function shapeOf(schema: RowSchema, isExact: IsExact): NameShape | null {
  if (!hasExceptions(schema, isExact)) return null;
  const plan = planOf(schema);
  if (plan.kind === 'any' || plan.kind === 'scalar') return 'any';
  if (plan.kind !== 'members') {
    const each = shapeOf(plan.item, isExact);
    return each === 'any' || planOf(plan.item).kind === 'scalar' ? 'any' : { each };
  }
  const shapes = [...plan.members].map(([name, inner]) => [name, shapeOf(inner, isExact)] as const);
  if (isExact(plan)) return { only: true, of: Object.fromEntries(shapes) };
  return { of: Object.fromEntries(shapes.filter(([, shape]) => shape !== null)) };
}

/** Whether there are names at any depth that are not all the service's. */
function hasExceptions(root: RowSchema, isExact: IsExact): boolean {
  const reached = new Set<RowSchema>();
  const waiting = [root];
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    if (reached.has(schema)) continue;
    reached.add(schema);
    const plan = planOf(schema);
    if (plan.kind === 'any' || plan.kind === 'record') return true;
    if (plan.kind === 'list') waiting.push(plan.item);
    if (plan.kind !== 'members') continue;
    if (isExact(plan)) return true;
    waiting.push(...plan.members.values());
  }
  return false;
}
